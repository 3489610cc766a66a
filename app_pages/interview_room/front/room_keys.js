// Which key means what in an interview. Letters count outside text fields; in them Ctrl+Enter and Esc do.

const ROOM_LETTERS = { s: "skip", p: "pause", h: "hint", r: "record", n: "notes", a: "agree", e: "evidence" };

/** What a key press asks for: {name, grade?}, or null where it isn't for us. */
function roomMeaning(event, focusedByTab) {
  if (event.isComposing || event.keyCode === 229) return null; // Enter and Esc belong to the input method then
  const path = event.composedPath();
  const typing = isTyping(path);
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.altKey) return { name: "finish" };
  if (typing && event.key === "Escape") return { name: "leave" };
  if (typing) return null;
  if (path.some(node => node instanceof Element && node.matches("dialog"))) {
    return event.key === "?" ? { name: "help" } : null; // the list of keys itself
  }
  if (path.some(node => node instanceof Element && node.matches("[role=dialog]"))) return null;
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  if (event.key === "?") return { name: "help" };
  const grade = gradeOf(event);
  if (grade) return { name: "tick", grade };
  if (event.shiftKey) return null;
  if (event.key === " " || event.key === "Enter") {
    return focusedByTab && isControl(path) ? null : { name: "go" };
  }
  const arrows = { ArrowDown: "down", ArrowUp: "up" };
  if (event.key in arrows && !isControl(path)) return { name: arrows[event.key] };
  const name = ROOM_LETTERS[letterOf(event)];
  return name ? { name } : null;
}

/** Listens for keys; returns a function that ends it. `act(meaning)` says whether it used the key. */
function listenRoom(act) {
  let focusedByTab = false;
  let oursIsDown = false;
  const onKey = event => {
    oursIsDown = false;
    if (event.key === "Tab") focusedByTab = true;
    const meaning = roomMeaning(event, focusedByTab);
    if (meaning === null) return;
    if (event.repeat ? meaning.name === "go" || meaning.name === "finish" : act(meaning)) {
      event.preventDefault();
      event.stopPropagation();
      oursIsDown = true;
    }
  };
  const onKeyUp = event => {
    if (oursIsDown && event.key === " ") event.preventDefault(); // Firefox presses the button on letting go
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
