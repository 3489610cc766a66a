// The field: a text area over its own lines, which are drawn with numbers, colours and marks of faults.

const WAIT = 250;
const KEPT = "benchcards.draft.";
const NAME = /^(\s*(?:- )?)([A-Za-z_]+:)(?=\s|$)/;

const editors = new WeakMap();

function store(action) {
  try {
    return action(localStorage);
  } catch {
    return null; // a browser that keeps nothing: then F5 loses what isn't saved
  }
}

function drawn(line) {
  const node = document.createElement("div");
  const comment = /^\s*#/.test(line) ? 0 : -1;
  if (comment === 0) {
    const faint = document.createElement("i");
    faint.textContent = line;
    node.append(faint);
    return node;
  }
  const found = NAME.exec(line);
  if (found === null) {
    node.textContent = line || "\u200b";
    return node;
  }
  const name = document.createElement("b");
  name.textContent = found[2];
  node.append(found[1], name, line.slice(found[0].length));
  return node;
}

class Editor {
  constructor(root) {
    this.root = root;
    const find = name => root.querySelector(`[data-part="${name}"]`);
    this.field = find("field");
    this.box = find("lines");
    this.note = find("note");
    this.noteText = find("note-text");
    this.discard = find("discard");
    this.live = find("live");
    this.lines = [];
    this.doc = null;
    this.key = null;
    this.saves = 0;
    this.leaving = false; // Esc was pressed: the next Tab leaves the field
    this.field.oninput = event => this.typed(event.isComposing);
    this.field.addEventListener("compositionend", () => this.typed(false));
    this.field.onkeydown = event => this.press(event);
    this.field.onblur = () => this.flush();
    this.field.onclick = () => this.moved();
    this.field.onkeyup = () => this.moved();
    this.discard.onclick = () => this.startAnew();
  }

  receive(data, send) {
    this.send = send;
    this.data = data;
    this.field.setAttribute("aria-label", data.words.field);
    this.discard.textContent = data.words.discard;
    this.box.style.setProperty("--before", data.first_line - 1);
    if (this.doc !== data.doc) this.open(data);
    this.mark();
  }

  /** Another document, or this one in another state: one that was saved here needs its draft no more. */
  open(data) {
    const first = this.doc === null;
    const saved = !first && this.key === data.key;
    this.doc = data.doc;
    this.key = data.key;
    const settled = data.saved; // also where the field is another one by now
    if (settled) store(kept => kept.removeItem(KEPT + data.key));
    const draft = store(kept => kept.getItem(KEPT + data.key));
    const found = draft !== null && draft !== data.text;
    const text = found ? draft : data.text;
    if (this.field.value !== text) this.field.value = text;
    this.say(found && this.field.value !== data.text && !saved ? data.words.restored : null);
    this.draw();
    if (found || settled) this.flush(true, "", settled);
    if (first) this.begin();
  }

  /** In a dialog one types at once; a thumb's keyboard would cover the preview. */
  begin() {
    const host = this.root.host ?? this.root;
    if (!host.closest?.("[role=dialog]") || !matchMedia("(pointer: fine)").matches) return;
    this.field.setSelectionRange(0, 0);
    this.field.focus({ preventScroll: true });
  }

  say(text) {
    this.note.hidden = text === null;
    this.noteText.textContent = text ?? "";
  }

  startAnew() {
    this.field.value = this.data.text;
    store(kept => kept.removeItem(KEPT + this.key));
    this.say(null);
    this.draw();
    this.flush(true);
    this.field.focus();
  }

  typed(composing) {
    this.draw();
    store(kept => kept.setItem(KEPT + this.key, this.field.value));
    clearTimeout(this.waiting);
    if (!composing) this.waiting = setTimeout(() => this.flush(true), WAIT);
    else this.waiting = undefined;
  }

  /** The caret is on another line: a preview may follow it. */
  moved() {
    if (this.line() === this.told) return;
    clearTimeout(this.following);
    this.following = setTimeout(() => this.line() !== this.told && this.flush(true), WAIT);
  }

  line() {
    return this.field.value.slice(0, this.field.selectionStart).split("\n").length - 1;
  }

  flush(always = false, save = "", settled = false) {
    if (!always && this.waiting === undefined) return;
    clearTimeout(this.waiting);
    this.waiting = undefined;
    if (!this.root.isConnected) return;
    this.told = this.line();
    this.send({ doc: this.doc, text: this.field.value, line: this.told, save, settled });
  }

  press(event) {
    if (event.isComposing) {
      if (event.key === "Escape") event.stopPropagation(); // it ends the composing, not the dialog around it
      return;
    }
    const leaving = this.leaving;
    this.leaving = event.key === "Escape";
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      if (!event.repeat) this.flush(true, `${Date.now().toString(36)}-${++this.saves}`);
    } else if (event.key === "Tab" && !leaving && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      this.indent(event.shiftKey);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      const line = this.field.value.slice(0, this.field.selectionStart).split("\n").pop();
      const deeper = /:\s*\|?\s*$/.test(line) && NAME.test(line) ? "  " : "";
      const item = /^\s*- (?=[A-Za-z_]+:)/.test(line) ? "  " : "";
      this.insert("\n" + /^ */.exec(line)[0] + item + deeper);
    }
  }

  /** As if typed, so that the browser's own undo knows of it. */
  insert(text) {
    if (!document.execCommand("insertText", false, text)) {
      this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
      this.typed(false);
    }
  }

  indent(back) {
    const { value, selectionStart, selectionEnd } = this.field;
    const begin = value.lastIndexOf("\n", selectionStart - 1) + 1;
    if (!back && !value.slice(selectionStart, selectionEnd).includes("\n")) {
      this.insert("  ");
      return;
    }
    const block = value.slice(begin, selectionEnd);
    const moved = block
      .split("\n")
      .map(line => (back ? line.replace(/^ {1,2}/, "") : line && "  " + line))
      .join("\n");
    if (moved === block) return;
    this.field.setSelectionRange(begin, selectionEnd);
    this.insert(moved);
    this.field.setSelectionRange(begin, begin + moved.length);
  }

  /** Draws the lines that differ from those that are there. */
  draw() {
    const lines = this.field.value.split("\n");
    const old = this.lines;
    let first = 0;
    while (first < lines.length && first < old.length && lines[first] === old[first]) first += 1;
    let last = 0;
    const most = Math.min(lines.length, old.length) - first;
    while (last < most && lines[lines.length - 1 - last] === old[old.length - 1 - last]) last += 1;
    for (let count = old.length - last - first; count > 0; count -= 1) this.box.children[first].remove();
    const next = this.box.children[first] ?? null;
    for (const line of lines.slice(first, lines.length - last)) this.box.insertBefore(drawn(line), next);
    this.lines = lines;
    this.mark();
  }

  mark() {
    const faults = new Map();
    for (const { line, message } of this.data?.faults ?? []) {
      const at = line - this.data.first_line;
      faults.set(at, faults.has(at) ? `${faults.get(at)}\n${message}` : message);
    }
    for (const node of this.box.querySelectorAll(".fault")) node.className = "";
    for (const at of faults.keys()) if (this.box.children[at]) this.box.children[at].className = "fault";
    this.field.setAttribute("aria-invalid", String(faults.size > 0));
    const [first] = this.data?.faults ?? [];
    const said = first ? `${first.line}: ${first.message}` : "";
    if (this.live.textContent !== said) this.live.textContent = said;
  }
}

export default function ({ data, parentElement: root, setStateValue }) {
  let editor = editors.get(root);
  const field = root.querySelector('[data-part="field"]');
  if (editor === undefined || editor.field !== field) {
    editor = new Editor(root);
    editors.set(root, editor);
  }
  if (data) editor.receive(JSON.parse(new TextDecoder().decode(data)), draft => setStateValue("draft", draft));
}
