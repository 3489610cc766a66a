// Everything that is seen and heard: the card in view, the bar below it, notes, counts, the done screen.

const READY = 3; // cards built ahead of time

class Screen {
  constructor(root, review) {
    this.review = review;
    this.root = root;
    const find = name => root.querySelector(`[data-part="${name}"]`);
    this.parts = Object.fromEntries(
      ["bench", "counts", "ruler", "undo", "help", "note", "wait", "retry", "stage", "done", "bar", "reveal"]
        .concat(["grades", "live", "keys", "close", "wait-text"])
        .map(name => [name, find(name)]),
    );
    this.faces = new Map(); // face key -> article
    this.words = null;
    this.rule = document.head.appendChild(document.createElement("style"));
    this.rule.textContent = ".st-key-evidence { display: none; }"; // until an answer is read
    const p = this.parts;
    p.reveal.onclick = event => review.click(event) && (review.reveal(), this.toAnswer());
    p.undo.onclick = event => review.click(event) && review.undo();
    p.help.onclick = () => this.openHelp();
    p.close.onclick = () => this.closeHelp();
    p.retry.onclick = () => review.tell();
    this.buttons = [1, 2, 3, 4].map(grade => {
      const button = p.grades.querySelector(`[data-grade="${grade}"]`);
      button.onclick = event => {
        if (!review.click(event)) return;
        const mine = root.activeElement === button;
        review.grade(grade);
        if (mine) this.toTitle();
      };
      return button;
    });
  }

  close() {
    this.rule.remove();
  }

  // --- words ---------------------------------------------------------------------------------

  label() {
    const { words, language } = this.review;
    if (this.words === words || this.language === language) {
      this.words = words;
      return;
    }
    this.words = words;
    this.language = language;
    const p = this.parts;
    p.bench.lang = language;
    for (const node of this.root.querySelectorAll("[data-word]")) node.textContent = words[node.dataset.word];
    for (const node of this.root.querySelectorAll("[data-title]")) {
      node.title = words[node.dataset.title];
      node.setAttribute("aria-label", words[node.dataset.title]);
    }
    this.forget();
  }

  /** Builds cards anew: the words or a card's text changed. */
  forget() {
    this.faces.clear();
    this.shown = null;
  }

  // --- drawing -------------------------------------------------------------------------------

  draw() {
    this.label();
    const { view, revealed, queue } = this.review;
    const p = this.parts;
    if (view === null) {
      p.stage.replaceChildren();
      this.shown = null;
      this.drawDone();
    } else {
      this.place(view);
    }
    p.done.hidden = view !== null;
    p.bar.hidden = view === null;
    this.drawBar(view, revealed);
    this.drawCounts();
    p.undo.disabled = this.review.silent;
    this.review.predict.draw();
    this.review.actions.draw();
    this.review.notebook.draw();
    afterPaint(() => this.buildAhead(queue));
    p.bench.dataset.state = view === null ? "done" : revealed ? "answer" : "question";
    p.bench.dataset.card = view?.card_id ?? "";
    p.bench.dataset.pending = String(this.review.outbox.ops.length);
  }

  face(item) {
    let face = this.faces.get(item.face);
    if (face === undefined) {
      face = build(this.review.queue.card(item), this.words);
      this.faces.set(item.face, face);
    }
    return face;
  }

  place(item) {
    const face = this.face(item);
    const answer = face.querySelector(".answer");
    if (answer.hidden === this.review.revealed) answer.hidden = !this.review.revealed;
    if (this.shown === face) return;
    for (const details of face.querySelectorAll("details")) details.open = false;
    this.parts.stage.replaceChildren(face);
    this.shown = face;
  }

  buildAhead(queue) {
    const ahead = queue.open.slice(0, READY + 1);
    for (const item of ahead) this.face(item);
    const wanted = new Set(ahead.map(item => item.face));
    for (const [key, face] of this.faces) {
      if (this.faces.size <= 2 * READY + 2) break;
      if (!wanted.has(key) && face !== this.shown) this.faces.delete(key);
    }
  }

  reveal() {
    this.shown.querySelector(".answer").hidden = false;
    this.drawBar(this.review.view, true);
    afterPaint(() => this.review.notebook.draw());
    this.parts.bench.dataset.state = "answer";
  }

  drawBar(item, revealed) {
    const p = this.parts;
    p.reveal.hidden = revealed;
    p.grades.hidden = !revealed;
    if (item === null) return;
    const { silent, pending } = this.review;
    for (const button of this.buttons) {
      const grade = Number(button.dataset.grade);
      const interval = item.outcomes[grade - 1];
      const name = this.words[`grade.${grade}`];
      button.querySelector(".interval").textContent = interval;
      button.setAttribute("aria-label", fill(this.words.grade_label, { name, interval, key: grade }));
      button.disabled = silent;
      button.classList.toggle("pending", silent && pending === grade);
    }
    p.reveal.disabled = silent;
  }

  drawCounts() {
    const { queue, view } = this.review;
    const left = queue.left;
    const current = view === null ? null : COUNT_OF[view.phase];
    for (const name of ["new", "learning", "due"]) {
      const node = this.parts.counts.querySelector(`[data-count="${name}"]`);
      node.querySelector("b").textContent = left[name];
      node.classList.toggle("current", name === current);
    }
    const open = left.new + left.learning + left.due;
    const { ops } = this.review.outbox;
    const back = ops.filter(op => op.type === "undo" && !op.kind).length;
    const coming = ops.filter(op => op.type === "answer").length - back;
    const done = Math.max(0, queue.reviewed + coming);
    const share = done + open === 0 ? 1 : done / (done + open);
    this.parts.ruler.style.setProperty("--share", share.toFixed(3));
  }

  drawDone() {
    const p = this.parts.done;
    // The last grade is drawn before the server has said what comes when.
    const { text = "", forecast = [] } = this.review.data.done ?? {};
    p.querySelector(".title").textContent = this.words.done_title;
    p.querySelector(".text").textContent = text;
    const list = p.querySelector(".forecast");
    const most = Math.max(1, ...forecast.map(day => day.n));
    list.replaceChildren(
      ...forecast.map(day =>
        el(
          "li",
          {},
          el("span", { class: "when" }, day.label),
          el("span", { class: "bar-of", style: `--part: ${(day.n / most).toFixed(3)}` }),
          el("b", {}, String(day.n)),
        ),
      ),
    );
    list.hidden = forecast.length === 0;
    p.querySelector(".forecast-title").hidden = list.hidden;
  }

  // --- what is said --------------------------------------------------------------------------

  /** A line above the card; without arguments the line goes away. */
  note(kind, text) {
    const p = this.parts.note;
    if (text === undefined) {
      if (!p.hidden) p.hidden = true;
      return;
    }
    p.hidden = false;
    p.className = `note ${kind}`;
    p.textContent = text;
  }

  waiting(text) {
    this.parts.wait.hidden = text === null;
    this.parts["wait-text"].textContent = text ?? "";
  }

  say(text) {
    this.parts.live.textContent = text;
  }

  // --- focus ---------------------------------------------------------------------------------

  toAnswer() {
    this.shown?.querySelector(".answer").focus({ preventScroll: true });
  }

  toTitle() {
    const title = this.shown?.querySelector(".title") ?? this.parts.done.querySelector(".title");
    title.focus({ preventScroll: true });
  }

  /** Moves to the evidence below the card; says whether there is any. */
  toEvidence() {
    const evidence = document.querySelector(".st-key-evidence");
    if (!evidence?.checkVisibility()) return false;
    evidence.style.scrollMarginTop = "5rem"; // clear of the page's header
    evidence.scrollIntoView({ block: "start" });
    evidence.querySelector("button, a[href], summary, input")?.focus({ preventScroll: true });
    return true;
  }

  /** Shows the evidence below the card once all of it is this card's: that of the card before, which may
      still stand there, is never seen. */
  showEvidence(cardId) {
    const others = `.st-key-evidence:not(:has([data-evidence-of="${CSS.escape(cardId)}"]))`;
    this.rule.textContent = `${others} { display: none; }`;
    const evidence = document.querySelector(".st-key-evidence");
    if (evidence) evidence.style.display = "";
  }

  /** Hides the evidence of the card before. By its own style: a rule would be held against the whole page. */
  hideEvidence() {
    const evidence = document.querySelector(".st-key-evidence");
    if (evidence) evidence.style.display = "none";
  }

  /** Whether the reader has come near the place of the evidence's charts: half a screen away, or less. */
  nearsCharts() {
    const results = document.querySelector(".st-key-evidence_results");
    return results?.checkVisibility() && results.getBoundingClientRect().bottom < 1.5 * innerHeight;
  }

  /** Scrolls the page to its top, where the next card begins. */
  top() {
    const host = this.root.host ?? this.root;
    const main = host.closest?.('[data-testid="stMain"]') ?? document.scrollingElement;
    if (main && main.scrollTop !== 0) main.scrollTop = 0;
  }

  // --- the keys ------------------------------------------------------------------------------

  get helpIsOpen() {
    return this.parts.keys.open;
  }

  openHelp() {
    this.parts.keys.showModal();
  }

  closeHelp() {
    this.parts.keys.close();
  }
}
