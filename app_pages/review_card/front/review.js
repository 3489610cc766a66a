// The review: which card is in view, what a key or a button does to it, and the talk with the server.

const RESEND_AFTER = 2500;
const SILENT_AFTER = 5000;
const TICK = 500;
const BOUNCE = 180;
const EVIDENCE_AFTER = 150;
const STAYS_AFTER = 700;
const STALE_AFTER = 30000;
const MINUTE = 60 * 1000;
const LONGEST_SLEEP = 30 * 60 * 1000;

const COUNT_OF = { new: "new", learning: "learning", review: "due" };

class Review {
  constructor(root) {
    this.root = root;
    this.screen = new Screen(root, this);
    this.outbox = new Outbox();
    this.queue = new StudyQueue(this.outbox);
    this.watch = new Stopwatch();
    this.predict = new Predict(root, this);
    this.actions = new Actions(root, this);
    this.notebook = new Notebook(root, this);
    this.past = []; // answers and changes of this page's life, for undo: {nonce, item, rating or kind}
    this.view = null; // the item in view
    this.revealed = false;
    this.stays = false; // the answer in view has been read for a moment
    this.silent = false;
    this.pending = null; // the grade that waits to be saved while the server is silent
    this.editing = null; // the wish to edit a card, while its editor is open: {nonce, card_id}
    this.asked = null; // the last such wish: {nonce, at, came}
    this.asking = false; // an undo of an answer from before this page's life
    this.seen = new Set(); // what the server said and was acted upon
    this.expected = new Map(); // nonce of an undo -> the card that was brought back at once
    this.line = new Line();
    this.page = crypto.randomUUID();
    this.sent = 0;
    this.seq = 0;
    this.stand = 0; // how many answers of the server came before the newest one
    this.drawn = null; // the evidence that the page's script drew last or was told to, as text
    this.lastClick = 0;
    const kept = recall();
    if (Array.isArray(kept.ops)) this.outbox.ops = kept.ops;
    if (this.outbox.waiting) this.outbox.since = performance.now();
    this.kept = kept.view ?? null;
    this.wanted = new URLSearchParams(location.search).get("card") ?? this.kept?.card_id ?? null;
    this.unlisten = listen(meaning => this.act(meaning), () => this.actions.byKey);
    this.onVisible = () => this.visible();
    document.addEventListener("visibilitychange", this.onVisible);
    this.onLeave = () => this.keep();
    addEventListener("pagehide", this.onLeave);
    this.ticker = setInterval(() => this.tick(), TICK);
  }

  close() {
    this.unlisten();
    document.removeEventListener("visibilitychange", this.onVisible);
    removeEventListener("pagehide", this.onLeave);
    clearInterval(this.ticker);
    clearTimeout(this.alarm);
    this.screen.close();
    this.wait();
    this.keep();
  }

  // --- from the server -------------------------------------------------------------------------

  /** What a run of the page's script says; `send` tells it something. */
  receive(data, send) {
    this.send = send;
    this.line.to(data.line, data.session);
    this.drawn = data.drawn === null ? null : this.evidenceOf(data.drawn);
    this.take(data);
  }

  take(data) {
    const fresh = this.session !== data.session; // the server knows nothing of what was sent before
    const newer = fresh || data.stand > this.stand; // two ways lead here: an answer can be overtaken
    const refused = data.refused.filter(each => this.outbox.ops.some(op => op.nonce === each.nonce));
    const settled = new Set([...data.confirmed, ...refused.map(each => each.nonce)]);
    const done = this.outbox.settle(settled);
    // counted here until the server says it anew
    const written = done.filter(op => op.type === "answer" && !refused.some(no => no.nonce === op.nonce));
    const back = done.filter(op => data.undone.some(un => un.nonce === op.nonce && un.kind === null));
    if (newer || this.data.reviewed === null) this.queue.reviewed += written.length - back.length;
    for (const each of refused) this.outbox.forgetUndoOf(each.nonce);
    this.past = this.past.filter(each => !refused.some(no => no.nonce === each.nonce));
    if (newer) this.takeQueue(data);
    this.predict.take(data);
    this.actions.take(data);
    if (done.length || !this.outbox.waiting) this.loud();
    const missing = newer && data.items.length > this.queue.items.length;
    if ((fresh && this.outbox.waiting) || missing) this.tell();
    this.choose();
    for (const each of data.undone) this.takenBack(each);
    for (const each of refused) this.refused(each);
    for (const each of data.told) this.told(each);
    if (data.edited !== null) this.edited(data.edited);
    this.setAlarm();
    this.screen.draw();
    this.keep();
  }

  takeQueue(data) {
    this.session = data.session;
    this.stand = data.stand;
    this.words = data.words ?? this.words;
    this.language = data.language;
    this.receivedAt = performance.now();
    this.serverNow = data.now_ms;
    this.data = data;
    if (data.title !== undefined) document.title = data.title;
    this.queue.take(data);
    this.notebook.take(data);
  }

  choose() {
    const open = this.queue.open;
    if (this.view !== null) {
      const newer = open.find(item => item.card_id === this.view.card_id);
      if (newer) {
        // Answered elsewhere while it is in view here: it stays what it was, and the server counts it once.
        const back = this.data.undone.some(each => each.card_id === this.view.card_id);
        if (newer.version !== this.view.version && !back) return;
        const same = newer.face === this.view.face;
        this.view = newer;
        if (!same) this.screen.forget();
        return;
      }
      if (this.silent || this.revealed) return;
    }
    const wanted = this.wanted === null ? null : this.queue.find(this.wanted);
    this.wanted = null;
    const next = wanted ?? open[0] ?? null;
    this.show(next, false);
    if (next !== null && this.kept?.card_id === next.card_id) {
      this.revealed = this.kept.revealed === true;
      this.watch.restart(this.kept.ms ?? 0);
      if (this.revealed) this.tellSoon();
    }
    this.kept = null;
  }

  takenBack(each) {
    if (this.seen.has(each.nonce)) return;
    this.seen.add(each.nonce);
    this.asking = false;
    if (this.expected.get(each.nonce) === each.card_id) return;
    const item = this.queue.find(each.card_id);
    const answered = each.kind === null;
    if (item && (this.view?.card_id !== each.card_id || (answered && !this.revealed))) this.show(item, answered);
    this.screen.note("calm", each.message);
  }

  /** What an answer led to besides its interval. */
  told(each) {
    if (this.seen.has(each.nonce)) return;
    this.seen.add(each.nonce);
    this.screen.note("problem", each.message);
  }

  refused(each) {
    if (this.seen.has(each.nonce)) return;
    this.seen.add(each.nonce);
    this.asking = false;
    const item = each.card_id ? this.queue.find(each.card_id) : null;
    if (item && each.bring_back) this.show(item, true);
    this.screen.note(each.kind, each.message);
  }

  // --- from the person -------------------------------------------------------------------------

  act({ name, grade }) {
    this.lookForEditor();
    if (this.words === undefined || this.editing !== null) return false;
    if (this.screen.helpIsOpen) {
      this.screen.closeHelp();
      return true;
    }
    if (this.actions.isOpen) return this.actions.whileOpen(name);
    if (name === "help") this.screen.openHelp();
    else if (name === "undo") this.undo();
    else if (name === "evidence") return this.screen.toEvidence();
    else if (name === "predict") return !this.silent && this.predict.open();
    else if (name === "note") return this.notebook.open();
    else if (this.view === null || this.silent) return false;
    else if (this.actions.knows(name)) return this.actions.act(name);
    else if (name === "go" && !this.revealed) this.reveal();
    else if (name === "go") {
      // Space and Enter grade Good, as Anki does; a key that bounces must not.
      if (performance.now() - this.revealedAt > BOUNCE) this.grade(3);
    } else if (name === "grade") {
      if (this.revealed) this.grade(grade);
    } else return false;
    return true;
  }

  /** Whether a click counts: the second half of a double click doesn't. */
  click(event) {
    if (event.detail === 0) return true; // by the keyboard
    const now = performance.now();
    const twice = event.detail > 1 || now - this.lastClick < BOUNCE;
    if (!twice) this.lastClick = now;
    return !twice;
  }

  reveal() {
    if (this.view === null || this.revealed) return;
    this.revealed = true;
    this.revealedAt = performance.now();
    this.screen.note();
    this.screen.reveal();
    this.screen.say(fill(this.words.answer_shown, { n: this.queue.card(this.view).points.length }));
    this.tellSoon();
    afterPaint(() => this.keep());
  }

  grade(rating) {
    const item = this.view;
    if (item === null || !this.revealed || this.silent) return;
    const answer = this.outbox.add({
      type: "answer",
      card_id: item.card_id,
      version: item.version,
      rating,
      shown_at_ms: item.shown_at_ms,
      shown_day: item.shown_day,
      scheduler: item.scheduler,
      answered_at_ms: Math.round(this.serverNow + performance.now() - this.receivedAt),
      answer_ms: this.watch.ms,
      count: COUNT_OF[item.phase],
      practice: this.data.practice,
    });
    this.past.push({ nonce: answer.nonce, item, rating });
    this.notebook.graded(item, rating, answer.nonce);
    this.queue.held.delete(item.card_id);
    this.screen.note();
    this.show(this.queue.open[0] ?? null, false);
    this.screen.draw();
    this.announce();
    // The next card is painted first: Streamlit draws its whole page anew when it is told something.
    afterPaint(() => this.tell());
  }

  /** Buries, suspends, marks … the card in view; one that goes away makes room for the next at once. */
  change(kind) {
    const item = this.view;
    if (item === null || this.silent) return;
    const hides = HIDING.has(kind);
    const change = this.outbox.add({
      type: "change",
      card_id: item.card_id,
      kind,
      at_ms: Math.round(this.serverNow + performance.now() - this.receivedAt),
      count: hides ? COUNT_OF[item.phase] : undefined,
    });
    this.past.push({ nonce: change.nonce, item, kind });
    if (hides) {
      this.queue.held.delete(item.card_id);
      this.show(this.queue.open[0] ?? null, false);
    }
    this.screen.note("calm", this.said("did", kind, item));
    this.screen.draw();
    this.screen.say(this.said("did", kind, item));
    afterPaint(() => this.tell());
  }

  /** Asks for the card's text in an editor over the review; until that is closed, the keys are the editor's. */
  edit() {
    this.editing = { nonce: crypto.randomUUID(), card_id: this.view.card_id };
    this.asked = { nonce: this.editing.nonce, at: performance.now(), came: false };
    this.watch.pause();
    this.tell();
  }

  /** The editor was closed in the browser, or didn't come: the keys are the review's again at once. */
  lookForEditor() {
    if (this.editing === null) return;
    if (dialogIsOpen()) this.asked.came = true;
    else if (this.asked.came || performance.now() - this.asked.at > SILENT_AFTER) this.goOn();
  }

  goOn() {
    if (this.editing === null) return;
    this.editing = null;
    this.watch.go();
  }

  /** The server is done with a wish to edit; `message` says where the text was saved. */
  edited({ nonce, message }) {
    if (this.asked?.nonce !== nonce || this.seen.has(nonce)) return;
    this.seen.add(nonce);
    if (this.editing?.nonce === nonce) this.goOn();
    if (!message) return;
    this.screen.note("calm", message);
    this.screen.say(message);
  }

  said(what, kind, item) {
    return fill(this.words[`${what}.${kind}`], { title: this.queue.card(item)?.plain_title ?? item.card_id });
  }

  undo() {
    if (this.silent || this.asking) return;
    const last = this.past.pop();
    const practice = this.data.practice;
    if (last === undefined) {
      this.asking = true;
      this.outbox.add({ type: "undo", practice });
      this.tell();
      return;
    }
    const { card_id } = last.item;
    this.notebook.takenBack(last.nonce);
    const op = this.outbox.add({
      type: "undo",
      answer_nonce: last.nonce,
      card_id,
      kind: last.kind,
      practice: last.kind === undefined ? practice : null,
    });
    this.expected.set(op.nonce, card_id);
    if (last.kind !== undefined) {
      if (HIDING.has(last.kind)) {
        // making it new again raised the card's version, and so does taking that back
        const item = { ...last.item, version: last.item.version + (last.kind === "reset" ? 2 : 0) };
        this.queue.held.set(card_id, item);
        this.show(item, false);
      }
      this.screen.note("calm", this.said("back", last.kind, last.item));
      this.screen.draw();
      afterPaint(() => this.tell());
      return;
    }
    // A review and an undo each raise a card's version.
    const item = { ...last.item, version: last.item.version + 2 };
    this.queue.held.set(card_id, item);
    this.show(item, true);
    const title = this.queue.card(item).plain_title;
    this.screen.note("calm", fill(this.words.undone, { rating: this.words[`grade.${last.rating}`], title }));
    this.screen.draw();
    afterPaint(() => this.tell());
  }

  // --- what is in view -------------------------------------------------------------------------

  show(item, revealed) {
    this.view = item;
    this.revealed = revealed;
    this.stays = false;
    this.wait();
    this.revealedAt = performance.now();
    this.watch.restart(0);
    this.screen.top();
    this.screen.hideEvidence();
    afterPaint(() => this.name());
    if (revealed) this.tellSoon();
  }

  /** Names the card in view in the address. */
  name() {
    if (!this.root.isConnected) return;
    const here = new URL(location.href);
    if (this.view === null) here.searchParams.delete("card");
    else here.searchParams.set("card", this.view.card_id);
    if (here.href !== location.href) history.replaceState(history.state, "", here);
  }

  announce() {
    if (this.view === null) this.screen.say(this.words.done_title);
    else this.screen.say(fill(this.words.next_card, { title: this.queue.card(this.view).plain_title }));
  }

  // --- to the server ---------------------------------------------------------------------------

  tell() {
    this.keep();
    if (!this.root.isConnected) return; // the page was left: what is kept is sent when it is back
    this.sent = performance.now();
    if (!this.line.open || this.editing !== null || this.wantsEvidence()) this.tellPage();
    else this.line.say(() => this.talk(), data => this.heard(data), () => this.tellPage());
  }

  /** Tells the page's script, which draws the evidence of the answer in view. */
  tellPage() {
    this.drawn = this.evidence;
    this.send(this.talk());
  }

  heard(data) {
    if (this.root.isConnected) this.take(data);
  }

  talk() {
    return {
      page: this.page,
      seq: ++this.seq,
      ops: this.outbox.ops,
      have: [...this.queue.cards.keys()],
      info: this.actions.asked,
      edit: this.editing,
      view: this.view && { card_id: this.view.card_id, revealed: this.revealed, stays: this.stays },
    };
  }

  evidenceOf({ card_id, stays }) {
    return `${card_id} ${stays ? "with charts" : "without charts"}`;
  }

  /** The evidence that belongs below the answer in view, as text; null below a question. */
  get evidence() {
    return this.revealed && this.view ? this.evidenceOf({ ...this.view, stays: this.stays }) : null;
  }

  /** Whether the page's script has yet to be told of the answer in view. */
  wantsEvidence() {
    return this.evidence !== null && this.evidence !== this.drawn;
  }

  /** Tells which answer is in view once it is read: the server shows its evidence. */
  tellSoon() {
    this.wait();
    this.telling = setTimeout(() => {
      this.screen.showEvidence(this.view.card_id);
      this.tell();
    }, EVIDENCE_AFTER);
  }

  /** Asks for the charts of the evidence once one stays with the answer and comes near them: drawing them
      takes a tenth of a second, in which no key is answered. */
  look() {
    if (!this.revealed || this.stays || performance.now() - this.revealedAt < STAYS_AFTER) return;
    if (!this.screen.nearsCharts()) return;
    this.stays = true;
    this.tell();
  }

  /** Tells nothing of the answer that was in view. */
  wait() {
    clearTimeout(this.telling);
  }

  tick() {
    if (this.send === undefined) return;
    const now = performance.now();
    this.look();
    this.lookForEditor();
    if (!this.outbox.waiting) {
      // "in 8 min" on the done screen would grow stale
      if (this.view === null && !document.hidden && now - this.sent > MINUTE) this.tell();
      return;
    }
    if (now - this.outbox.since > SILENT_AFTER && now - this.receivedAt > SILENT_AFTER) this.quiet();
    if (now - this.sent > RESEND_AFTER) this.tell();
  }

  /** The server hasn't confirmed for a while: say so and bring the first unsaved card back. */
  quiet() {
    const answers = this.outbox.ops.filter(op => op.type === "answer");
    const changes = this.outbox.ops.filter(op => op.type === "change");
    this.screen.waiting(fill(this.words.not_saved, { n: answers.length + changes.length }));
    if (this.silent) return;
    this.silent = true;
    const first = this.past.find(each => answers.some(op => op.nonce === each.nonce));
    if (first) {
      this.view = first.item;
      this.pending = first.rating;
      this.revealed = true;
      this.screen.top();
    }
    this.screen.draw();
    this.screen.say(this.words.not_saved_short);
  }

  loud() {
    if (!this.silent) return;
    this.silent = false;
    this.pending = null;
    this.screen.waiting(null);
    this.screen.note("calm", this.words.saved);
    this.view = null; // the card that was brought back has its answer: on to the next
    this.revealed = false;
  }

  visible() {
    if (document.hidden) {
      this.watch.pause();
      this.keep();
      return;
    }
    this.watch.go();
    if (this.send && performance.now() - this.receivedAt > STALE_AFTER) this.tell();
  }

  /** Wakes up when the next learning card is due. */
  setAlarm() {
    clearTimeout(this.alarm);
    if (this.data.next_due_ms === null) return;
    const ahead = this.data.next_due_ms - this.serverNow;
    if (ahead > 0) this.alarm = setTimeout(() => this.tell(), Math.min(ahead + 300, LONGEST_SLEEP));
  }

  keep() {
    const view = this.view && { card_id: this.view.card_id, revealed: this.revealed, ms: this.watch.ms };
    remember({ ops: this.outbox.ops, view });
  }
}
