// What comes next, as the client knows it: the server's newest queue, less what is answered and not yet
// confirmed, plus what was taken back and is not yet confirmed.

const KEPT_CARDS = 48;

class StudyQueue {
  constructor(outbox) {
    this.outbox = outbox;
    this.items = []; // as the server gave them: {card_id, version, phase, outcomes, shown_at_ms, face}
    this.held = new Map(); // card id -> item of a card that was taken back
    this.cards = new Map(); // face key -> card
    this.counts = { new: 0, learning: 0, due: 0 };
    this.reviewed = 0;
  }

  take(data) {
    for (const [key, card] of Object.entries(data.cards)) {
      this.cards.delete(key);
      this.cards.set(key, card);
    }
    for (const item of data.items) {
      const card = this.cards.get(item.face);
      if (card) {
        this.cards.delete(item.face); // what is wanted stays longest
        this.cards.set(item.face, card);
      }
    }
    for (const key of this.cards.keys()) {
      if (this.cards.size <= KEPT_CARDS) break;
      this.cards.delete(key);
    }
    this.items = data.items.filter(item => this.cards.has(item.face));
    this.counts = data.counts;
    if (data.reviewed !== null) this.reviewed = data.reviewed;
    for (const cardId of [...this.held.keys()]) {
      const undoing = this.outbox.ops.some(op => op.type === "undo" && op.card_id === cardId);
      if (!undoing) this.held.delete(cardId);
    }
  }

  get open() {
    const held = [...this.held.values()];
    const rest = this.items.filter(item => !this.held.has(item.card_id));
    return [...held, ...rest].filter(
      item => !this.outbox.answerOf(item.card_id) && !this.outbox.hides(item.card_id),
    );
  }

  find(cardId) {
    return this.open.find(item => item.card_id === cardId) ?? null;
  }

  card(item) {
    return this.cards.get(item.face);
  }

  /** The server's counts, less what is on its way. */
  get left() {
    const left = { ...this.counts };
    for (const op of this.outbox.ops) {
      const stands = this.outbox.answerOf(op.card_id) === op || this.outbox.hides(op.card_id) === op;
      if (stands && op.count in left) {
        left[op.count] = Math.max(0, left[op.count] - 1);
      }
    }
    return left;
  }
}
