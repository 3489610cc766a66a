// Streamlit calls this at mount and again whenever the data or the theme changes.

const timelines = new WeakMap();

export default function ({ data, parentElement: root, setStateValue }) {
  let timeline = timelines.get(root);
  const drawn = root.querySelector('[data-part="timeline"]');
  if (timeline !== undefined && timeline.parts.timeline !== drawn) {
    timeline.close();
    timeline = undefined;
  }
  if (timeline === undefined) {
    timeline = new Timeline(root);
    timelines.set(root, timeline);
  }
  if (data) timeline.receive(data, asked => setStateValue("asked", asked));
  // Streamlit also calls this for a run that newer data overtook: only a page that is gone ends the timeline.
  return () => setTimeout(() => root.isConnected || timeline.close());
}
