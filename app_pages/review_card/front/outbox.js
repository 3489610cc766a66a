// Answers and undos on their way to the server, in order, kept until each is confirmed by its nonce.
// They also lie in sessionStorage, so that a reload loses none; the server takes each nonce once.

const STORAGE = "benchcards.review";
const HIDING = new Set(["bury", "suspend", "reset"]);
const MARKS = new Set(["mark", "unmark"]);

class Outbox {
  constructor() {
    this.ops = [];
    this.since = 0; // performance.now() of the oldest unconfirmed one
  }

  get waiting() {
    return this.ops.length > 0;
  }

  add(op) {
    if (!this.waiting) this.since = performance.now();
    const entry = { ...op, nonce: crypto.randomUUID() };
    this.ops.push(entry);
    return entry;
  }

  /** Drops what is confirmed or refused; returns the ops that were dropped. */
  settle(nonces) {
    const done = this.ops.filter(op => nonces.has(op.nonce));
    if (done.length) {
      this.ops = this.ops.filter(op => !nonces.has(op.nonce));
      this.since = performance.now();
    }
    return done;
  }

  /** Drops the undos of an answer that never was written. */
  forgetUndoOf(nonce) {
    this.ops = this.ops.filter(op => !(op.type === "undo" && op.answer_nonce === nonce));
  }

  /** Whether an unconfirmed change takes the card out of view: buried, suspended, made new again. */
  hides(cardId) {
    let found = null;
    for (const op of this.ops) {
      if (op.type === "change" && op.card_id === cardId && HIDING.has(op.kind)) found = op;
      if (op.type === "undo" && found && op.answer_nonce === found.nonce) found = null;
    }
    return found;
  }

  /** Whether the card is marked, by what is on its way; else as the server said. */
  marked(cardId, said) {
    const made = this.ops.filter(op => op.type === "change" && op.card_id === cardId && MARKS.has(op.kind));
    const back = new Set(this.ops.filter(op => op.type === "undo").map(op => op.answer_nonce));
    for (const op of made) said = back.has(op.nonce) ? said : op.kind === "mark";
    return said;
  }

  /** The unconfirmed answer that stands for a card, if it isn't taken back by a later undo. */
  answerOf(cardId) {
    let found = null;
    for (const op of this.ops) {
      if (op.type === "answer" && op.card_id === cardId) found = op;
      if (op.type === "undo" && found && op.answer_nonce === found.nonce) found = null;
    }
    return found;
  }
}

function remember(state) {
  try {
    sessionStorage.setItem(STORAGE, JSON.stringify(state));
  } catch (error) {
    // A full or forbidden sessionStorage only means that a reload may ask for the last answer again.
    console.warn("Benchcards: answers can't be kept over a reload", error);
  }
}

function recall() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE) ?? "{}");
    return kept && typeof kept === "object" ? kept : {};
  } catch (error) {
    console.warn("Benchcards: what was kept over the reload can't be read", error);
    return {};
  }
}
