// Streamlit opens a dialog when its server is gone, and the dialog takes the focus from whoever types. The page
// says that by itself: the dialog is put away, and what was typed into it meanwhile goes where it was meant.

const STREAMLIT_DIALOG = '[data-testid="stDialog"]';
const STRAIGHT_MS = 400; // the focus went from the field to the dialog, not by a detour of the learner's
const GUARD_MS = 3000;
const GUARD_STEP_MS = 40;

class FieldGuard {
  /** `field()` gives the field that is typed into, or null; `typed(node)` takes what it holds now. */
  constructor(field, typed) {
    this.field = field;
    this.typed = typed;
    this.leftAt = -STRAIGHT_MS;
    this.stolen = null;
    this.onFocusIn = event => this.arrived(event.target);
    this.onKey = event => this.key(event);
    document.addEventListener("focusin", this.onFocusIn, true);
    document.addEventListener("keydown", this.onKey, true);
  }

  close() {
    document.removeEventListener("focusin", this.onFocusIn, true);
    document.removeEventListener("keydown", this.onKey, true);
    clearTimeout(this.again);
  }

  watch(node) {
    node.addEventListener("focusout", () => {
      this.leftAt = performance.now();
    });
  }

  arrived(target) {
    const inDialog = target instanceof Element && target.closest(STREAMLIT_DIALOG) !== null;
    const node = this.field();
    if (!inDialog || node === null || performance.now() - this.leftAt > STRAIGHT_MS) return;
    this.stolen = node;
    this.until = performance.now() + GUARD_MS;
    clearTimeout(this.again);
    this.again = setTimeout(() => this.back(), 0);
  }

  /** Closes the dialog and takes the focus back; the dialog holds on to it until it is gone. */
  back() {
    const node = this.stolen;
    if (node === null) return;
    document.querySelector(`${STREAMLIT_DIALOG} button[aria-label="Close"]`)?.click();
    node.focus({ preventScroll: true });
    const has = node.getRootNode().activeElement === node;
    const gone = document.querySelector(STREAMLIT_DIALOG) === null;
    if ((has && gone) || node.readOnly || performance.now() > this.until) {
      this.stolen = null;
      return;
    }
    this.again = setTimeout(() => this.back(), GUARD_STEP_MS);
  }

  /** A key that was pressed while the dialog had the focus. */
  key(event) {
    const node = this.stolen;
    if (node === null || node.readOnly || node.getRootNode().activeElement === node) return;
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const text = event.key.length === 1 ? event.key : event.key === "Enter" && node.localName === "textarea" ? "\n" : null;
    if (text === null && event.key !== "Backspace") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { selectionStart, selectionEnd } = node;
    const from = text === null && selectionStart === selectionEnd ? Math.max(0, selectionStart - 1) : selectionStart;
    node.setRangeText(text ?? "", from, selectionEnd, "end");
    this.typed(node);
  }
}
