// Streamlit calls this at mount and again whenever the data or the theme changes.

const reviews = new WeakMap();

// Set here because `page_icon` would import numpy and Pillow before the first card, or ask a font service.
const ICON =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="3" y="5" width="26" height="22" rx="4" ` +
  `fill="#0b6e66"/><path d="M7 22v-4m3.6 4v-2m3.6 2v-7m3.6 7v-2m3.6 2v-4m3.6 4v-2M7 10.5h11" ` +
  `stroke="#fbfaf7" stroke-width="1.9" stroke-linecap="round"/></svg>`;

function showIcon() {
  const link = document.querySelector('link[rel~="icon"]');
  const address = `data:image/svg+xml,${encodeURIComponent(ICON)}`;
  if (link && link.href !== address) link.href = address;
}

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
    showIcon();
  }
  if (data) review.receive(data, talk => setStateValue("talk", talk));
  // Streamlit also calls this for a run that newer data overtook: only a page that is gone ends the review.
  return () => setTimeout(() => root.isConnected || review.close());
}
