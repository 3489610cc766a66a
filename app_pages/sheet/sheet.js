// Puts the page's own HTML into the sheet; an unchanged sheet keeps its scroll position and selection.

const shown = new WeakMap();

export default function ({ data, parentElement: root }) {
  const sheet = root.querySelector('[data-part="sheet"]');
  if (!data || shown.get(sheet) === data.html) return;
  shown.set(sheet, data.html);
  sheet.innerHTML = data.html;
}
