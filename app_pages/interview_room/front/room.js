// The room: one component for question and review, which also brings drafts home that another page left.

const ROOM_TICK_MS = 100;

class Room {
  constructor(root) {
    this.root = root;
    const names = [
      "bench", "note", "wait", "wait-text", "retry", "ask", "where", "help", "places", "clock", "digits", "phase",
      "left-word", "drain", "between", "between-title", "between-text", "card", "next", "hints", "typed",
      "typed-label", "notes", "number-row", "number", "unit", "kept", "bar", "go", "pause", "hint", "skip",
      "review", "live", "alert", "keys", "ask-keys", "review-keys", "close",
    ];
    this.parts = Object.fromEntries(names.map(name => [name, root.querySelector(`[data-part="${name}"]`)]));
    this.clock = new ServerClock();
    this.drafts = new Drafts();
    this.post = new Post(this.drafts);
    this.asking = new Asking(this);
    this.marking = new Marking(this);
    this.screen = null; // what is in view: asking, marking, or nothing
    this.words = {};
    this.parts.help.onclick = () => this.openHelp();
    this.parts.close.onclick = () => this.parts.keys.close();
    this.parts.retry.onclick = () => this.post.now();
    this.unlisten = listenRoom(meaning => this.act(meaning));
    this.onLeave = () => this.asking.capture();
    this.onVisible = () => {
      this.asking.capture();
      if (!document.hidden) {
        this.asking.tick();
        this.post.now(); // another tab may have gone on, or the machine slept
      }
    };
    this.onStorage = event => this.asking.elsewhere(Drafts.written(event));
    addEventListener("storage", this.onStorage);
    addEventListener("pagehide", this.onLeave);
    document.addEventListener("visibilitychange", this.onVisible);
    this.ticker = setInterval(() => this.tick(), ROOM_TICK_MS);
  }

  close() {
    this.asking.capture();
    this.asking.guard.close();
    this.post.close();
    this.unlisten();
    removeEventListener("storage", this.onStorage);
    removeEventListener("pagehide", this.onLeave);
    document.removeEventListener("visibilitychange", this.onVisible);
    clearInterval(this.ticker);
  }

  receive(data, send) {
    const first = this.post.send === null;
    this.post.send = message => this.root.isConnected && send(message);
    this.clock.hear(data.now_ms, data.echo_ms);
    this.words = data.words;
    this.label(data.language);
    this.post.heard(data);
    this.trouble = data.trouble;
    if (data.refused.length) this.note(data.refused.join(" "), "problem");
    const p = this.parts;
    p.ask.hidden = data.view !== "question";
    p.review.hidden = data.view !== "review";
    p.bench.dataset.view = data.view;
    p.bench.dataset.pending = String(this.post.ops.length + this.drafts.held.size);
    if (this.screen !== null && data.view !== this.view) {
      this.asking.lock();
      this.note();
    }
    this.view = data.view;
    this.screen = { question: this.asking, review: this.marking }[data.view] ?? null;
    if (data.view !== "question") this.asking.data = null;
    this.screen?.receive(data);
    this.drawWait();
    // what an earlier page or a dead server left here; and the answer bounds the server's clock from above
    if (first) this.post.now();
  }

  act(meaning) {
    if (this.parts.keys.open) {
      if (meaning.name !== "help") return false;
      this.parts.keys.close();
      return true;
    }
    if (this.screen === null) return false;
    if (meaning.name === "help") {
      this.openHelp();
      return true;
    }
    return this.screen.act(meaning);
  }

  tick() {
    if (this.post.send === null) return;
    if (this.screen === this.asking) this.asking.tick();
    this.post.tick();
    this.drawWait();
  }

  // --- what is seen and heard ----------------------------------------------------------------------

  label(language) {
    if (this.labelled === language) return;
    this.labelled = language;
    this.parts.bench.lang = language;
    for (const node of this.root.querySelectorAll("[data-word]")) node.textContent = this.words[node.dataset.word];
    for (const node of this.root.querySelectorAll("[data-title]")) {
      node.title = this.words[node.dataset.title];
      node.setAttribute("aria-label", this.words[node.dataset.title]);
    }
    this.marking.built = null;
  }

  drawWait() {
    const { words, post } = this;
    const text = !post.waiting ? null : this.trouble ? `${this.trouble} ${words.kept_trouble}` : post.silent ? words.silent : null;
    const { wait } = this.parts;
    if (wait.hidden !== (text === null)) wait.hidden = text === null;
    if (text !== null && this.parts["wait-text"].textContent !== text) this.parts["wait-text"].textContent = text;
  }

  /** A line above the question; without arguments the line goes away. */
  note(text, kind = "calm") {
    const { note } = this.parts;
    note.hidden = text === undefined;
    note.className = `note ${kind}`;
    note.textContent = text ?? "";
  }

  say(text) {
    this.parts.live.textContent = text;
  }

  shout(text) {
    this.parts.alert.textContent = text;
  }

  top() {
    const host = this.root.host ?? this.root;
    const main = host.closest?.('[data-testid="stMain"]') ?? document.scrollingElement;
    if (main && main.scrollTop !== 0) main.scrollTop = 0;
  }

  openHelp() {
    const p = this.parts;
    p["ask-keys"].hidden = this.screen !== this.asking;
    p["review-keys"].hidden = this.screen !== this.marking;
    const practice = this.asking.data?.mode === "practice";
    for (const node of this.root.querySelectorAll("[data-practice]")) node.hidden = !practice;
    p.keys.showModal();
  }
}
