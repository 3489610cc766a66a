// Streamlit calls this at mount and again whenever the data or the theme changes.

const reviews = new WeakMap();

export default function ({ data, parentElement: root, setStateValue }) {
  let review = reviews.get(root);
  const bench = root.querySelector('[data-part="bench"]');
  if (review !== undefined && review.screen.parts.bench !== bench) {
    review.close();
    review = undefined;
  }
  if (review === undefined) {
    review = new Review(root);
    reviews.set(root, review);
  }
  if (data) review.receive(JSON.parse(new TextDecoder().decode(data)), talk => setStateValue("talk", talk));
  // Streamlit also calls this for a run that newer data overtook: only a page that is gone ends the review.
  return () => setTimeout(() => root.isConnected || review.close());
}
