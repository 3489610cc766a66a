// Keys, while the timeline has the focus, or the pointer is over it and nothing else has the focus.

const HOLDS = { w: ["zoom", 1], s: ["zoom", -1], a: ["pan", -1], d: ["pan", 1] };
const HOLDS_BY_KEY = { ArrowLeft: HOLDS.a, ArrowRight: HOLDS.d, "+": HOLDS.w, "=": HOLDS.w, "-": HOLDS.s };
const ROWS_STEP = 48;

/** The Latin letter of a key press; by its place where the layout has none. */
function letterOf(event) {
  if (/^[a-z]$/i.test(event.key)) return event.key.toLowerCase();
  const place = /^Key([A-Z])$/.exec(event.code);
  return place && !/^[!-~]$/.test(event.key) ? place[1].toLowerCase() : "";
}

/** `acts`: {pressed, ours(event), typing(event), view, moved, gap(step), fit, whole, search, none, help, rows(pixels)}.
 * Returns what ends it. */
function watchKeys(acts) {
  const { view } = acts;
  const held = new Map();
  const apply = () => {
    view.held = { zoom: 0, pan: 0 };
    for (const [way, by] of held.values()) view.held[way] += by;
    view.held.zoom = Math.sign(view.held.zoom);
    view.held.pan = Math.sign(view.held.pan);
    acts.moved();
  };
  const letGo = () => {
    if (held.size === 0) return;
    held.clear();
    apply();
  };
  const onKey = event => {
    acts.pressed();
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || !acts.ours(event)) return;
    if (acts.typing(event)) return;
    const letter = letterOf(event);
    const hold = HOLDS[letter] ?? HOLDS_BY_KEY[event.key];
    let used = true;
    if (hold !== undefined) {
      if (!event.repeat) {
        view.flight = null;
        held.set(event.code, hold);
        apply();
      }
    } else if (letter === "n") acts.gap(event.shiftKey ? -1 : 1);
    else if (event.repeat && !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    else if (event.key === "ArrowUp") acts.rows(-ROWS_STEP);
    else if (event.key === "ArrowDown") acts.rows(ROWS_STEP);
    else if (letter === "f") acts.fit();
    else if (event.key === "0" || event.key === "Home") acts.whole();
    else if (event.key === "/") acts.search();
    else if (event.key === "?") acts.help();
    else if (event.key === "Escape") used = acts.none();
    else used = false;
    if (!used) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onKeyUp = event => {
    if (held.delete(event.code)) apply();
  };
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("keyup", onKeyUp, true);
  window.addEventListener("blur", letGo);
  document.addEventListener("focusin", letGo);
  return () => {
    document.removeEventListener("keydown", onKey, true);
    document.removeEventListener("keyup", onKeyUp, true);
    window.removeEventListener("blur", letGo);
    document.removeEventListener("focusin", letGo);
  };
}
