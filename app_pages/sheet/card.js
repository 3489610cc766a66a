// A card with its answer open. `build` is face.js's.

const shown = new WeakMap();

export default function ({ data, parentElement: root }) {
  const sheet = root.querySelector('[data-part="sheet"]');
  if (!data) return;
  const key = JSON.stringify(data);
  if (shown.get(sheet) === key) return;
  shown.set(sheet, key);
  const card = build(data.face, data.words);
  card.querySelector(".answer").hidden = false;
  sheet.replaceChildren(card);
}
