// Which key means what, wherever the focus is: one listener on the document.

const TEXT_INPUTS = new Set([
  "", "text", "search", "email", "number", "password", "tel", "url", "date", "time", "month", "week",
  "datetime-local",
]);

/** Whether the key press belongs to something one types in, also inside a shadow root. */
function isTyping(path) {
  return path.some(node => {
    if (!(node instanceof Element)) return false;
    if (node.isContentEditable) return true;
    if (node.localName === "textarea" || node.localName === "select") return true;
    if (node.localName === "input") return TEXT_INPUTS.has((node.getAttribute("type") ?? "").toLowerCase());
    const role = node.getAttribute("role");
    return role === "textbox" || role === "combobox" || role === "listbox" || role === "menu";
  });
}

/** Whether Space or Enter would press the control that has the focus. */
function isControl(path) {
  return path.some(
    node =>
      node instanceof Element &&
      node.matches(
        "button, a[href], summary, input, [role=button], [role=checkbox], [role=radio], [role=slider], " +
          "[role=switch], [role=tab], [role=link]",
      ),
  );
}

/** The digit 1–4 of a key press on any layout and on the number pad, else 0. */
function gradeOf(event) {
  const place = /^(?:Digit|Numpad)([1-4])$/.exec(event.code);
  if (place && !event.shiftKey) return Number(place[1]);
  return /^[1-4]$/.test(event.key) ? Number(event.key) : 0;
}

/** The Latin letter of a key press; by its place where the layout has none. */
function letterOf(event) {
  if (/^[a-z]$/i.test(event.key)) return event.key.toLowerCase();
  const place = /^Key([A-Z])$/.exec(event.code);
  return place && !/^[!-~]$/.test(event.key) ? place[1].toLowerCase() : "";
}

/** Whether a dialog of Streamlit's lies over the page: what is typed then is its own, wherever the focus is. */
function dialogIsOpen() {
  return document.querySelector('[data-testid="stDialog"]') !== null;
}

/** What a key press asks for: {name, grade?}, or null where it isn't for us. `chosen`: action by key. */
function meaningOf(event, focusedByTab, chosen) {
  if (event.isComposing || event.keyCode === 229) return null;
  const path = event.composedPath();
  if (isTyping(path)) return null;
  if (dialogIsOpen() || path.some(node => node instanceof Element && node.matches("[role=dialog]"))) return null;
  const sign = event.getModifierState?.("AltGraph"); // AltGr, by which some keyboards type @
  if (!sign && (event.altKey || (event.ctrlKey && event.metaKey))) return null;
  if (!sign && (event.ctrlKey || event.metaKey)) {
    return letterOf(event) === "z" && !event.shiftKey ? { name: "undo" } : null;
  }
  if (event.key === "?") return { name: "help" };
  const typed = chosen.get(event.key);
  if (typed && !/^[a-z]$/i.test(event.key)) return { name: typed };
  const grade = gradeOf(event);
  if (grade) return { name: "grade", grade };
  if (event.shiftKey) return null;
  if (event.key === " " || event.key === "Enter") {
    return focusedByTab && isControl(path) ? null : { name: "go" };
  }
  const name = chosen.get(letterOf(event));
  return name ? { name } : null;
}

/** Listens for keys; returns a function that ends it. `act(meaning)` says whether it used the key; `chosen()`
    is the action of each key that the learner can change. */
function listen(act, chosen) {
  let focusedByTab = false;
  let oursIsDown = false;
  const onKey = event => {
    oursIsDown = false;
    if (event.key === "Tab") focusedByTab = true;
    const meaning = meaningOf(event, focusedByTab, chosen());
    if (meaning === null) return;
    // A held key acts once; what it would do to the page (Space scrolls) is withheld all the same.
    if (event.repeat ? meaning.name === "go" : act(meaning)) {
      event.preventDefault();
      event.stopPropagation();
      oursIsDown = true;
    }
  };
  const onKeyUp = event => {
    // Firefox presses the focused button when Space is let go.
    if (oursIsDown && event.key === " ") event.preventDefault();
  };
  const onPointer = () => {
    focusedByTab = false;
  };
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("keyup", onKeyUp, true);
  document.addEventListener("pointerdown", onPointer, true);
  return () => {
    document.removeEventListener("keydown", onKey, true);
    document.removeEventListener("keyup", onKeyUp, true);
    document.removeEventListener("pointerdown", onPointer, true);
  };
}
