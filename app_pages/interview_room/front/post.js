// Texts and deeds on their way to the server, sent again until each is confirmed.

const POST_RESEND_MS = 2500;
const POST_SILENT_MS = 5000;
const TYPING_PAUSE_MS = 350;
const TYPING_LONGEST_MS = 1500;

class Post {
  constructor(drafts) {
    this.drafts = drafts;
    this.mine = OPS_STORAGE + crypto.randomUUID();
    // deeds of a tab that was closed before they were confirmed: each is done once, whoever sends it
    this.ops = storedKeys(OPS_STORAGE).flatMap(key => {
      const ops = readStored(key);
      unstore(key);
      return Array.isArray(ops) ? ops : [];
    });
    if (this.ops.length) store(this.mine, this.ops);
    this.sentAt = 0;
    this.heardAt = performance.now();
    this.since = performance.now(); // since when something waits
    this.seq = 0;
    this.send = null;
  }

  get waiting() {
    return this.ops.length > 0 || this.drafts.waiting;
  }

  get silent() {
    const now = performance.now();
    return this.waiting && now - this.since > POST_SILENT_MS && now - this.heardAt > POST_SILENT_MS;
  }

  /** A deed; it goes out at once, with every text. */
  add(op) {
    this.ops.push({ ...op, nonce: crypto.randomUUID() });
    store(this.mine, this.ops);
    this.now();
  }

  /** A text was typed: it goes out when typing pauses, and at least every second and a half. */
  soon() {
    const now = performance.now();
    this.firstTyped ??= now;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.now(), Math.min(TYPING_PAUSE_MS, this.firstTyped + TYPING_LONGEST_MS - now));
  }

  now() {
    clearTimeout(this.later);
    this.firstTyped = undefined;
    if (this.send === null) return;
    this.sentAt = performance.now();
    this.send({ seq: ++this.seq, sent_ms: Date.now(), ops: this.ops, texts: this.drafts.all });
  }

  heard(data) {
    this.heardAt = performance.now();
    this.drafts.settle(data.saved);
    const done = new Set(data.done);
    if (this.ops.some(op => done.has(op.nonce))) {
      this.ops = this.ops.filter(op => !done.has(op.nonce));
      if (this.ops.length) store(this.mine, this.ops);
      else unstore(this.mine);
    }
  }

  tick() {
    if (!this.waiting) this.since = performance.now();
    else if (performance.now() - this.sentAt > POST_RESEND_MS) this.now();
  }

  close() {
    clearTimeout(this.later);
  }
}
