// An answer beside the model answer: each point and figure is ticked, suggested ticks can be corrected.

class Marking {
  constructor(room) {
    this.room = room;
    this.data = null;
    this.current = 0;
    this.items = []; // {kind, index, node}
    this.mine = new Map(); // ticks of this page's life that the server has yet to confirm
  }

  receive(data) {
    const before = this.data;
    const same = before !== null && before.interview === data.interview && before.place === data.place;
    this.data = data;
    if (!same) {
      this.current = 0;
      this.next = false;
      this.mine.clear();
    }
    const waiting = new Set(this.room.post.ops.filter(op => op.type === "tick").map(op => `${op.kind}.${op.index}`));
    for (const name of [...this.mine.keys()]) if (!waiting.has(name)) this.mine.delete(name);
    if (!waiting.size && this.ratingAsked !== undefined && !this.room.post.ops.some(op => op.type === "rate")) {
      this.ratingAsked = undefined;
    }
    const key = JSON.stringify([data.interview, data.place, data.language, data.notes, data.transcript, data.follow_up?.notes, data.follow_up?.transcript, data.revisited]);
    if (key !== this.built) {
      this.build();
      this.built = key;
      if (!same) {
        this.room.top();
        this.parts.title.focus({ preventScroll: true });
        this.room.say(fill(this.room.words.review_say, { n: data.place + 1, of: data.total }));
      }
    }
    this.draw();
  }

  // --- what is done --------------------------------------------------------------------------------

  act(meaning) {
    switch (meaning.name) {
      case "tick": {
        const item = this.items[this.current];
        const ticks = item && this.ticksOf(item.kind);
        if (!item || meaning.grade > ticks.length) return false;
        this.tick(item, ticks[meaning.grade - 1]);
        this.move(1);
        return true;
      }
      case "down":
        this.move(1);
        return true;
      case "up":
        this.move(-1);
        return true;
      case "agree":
        if (this.data.proposal === null || this.data.rating !== null || this.data.intervals === null) return false;
        this.rate(this.data.proposal);
        return true;
      case "go":
        this.goOn();
        return true;
      case "evidence":
        return this.toEvidence();
      default:
        return false;
    }
  }

  ticksOf(kind) {
    return this.data.ticks[kind === "figure" ? "figure" : "point"];
  }

  tick(item, tick) {
    const { interview, place } = this.data;
    this.mine.set(`${item.kind}.${item.index}`, tick);
    this.room.post.add({ type: "tick", interview, place, kind: item.kind, index: item.index, tick });
    this.draw();
  }

  move(by) {
    if (this.items.length === 0) return;
    this.current = Math.max(0, Math.min(this.items.length - 1, this.current + by));
    this.drawCurrent();
    this.items[this.current].node.scrollIntoView({ block: "nearest" });
    this.room.say(this.items[this.current].node.querySelector("h4, .figure")?.textContent ?? "");
  }

  rate(rating) {
    if (this.data.rating !== null || this.ratingAsked !== undefined) return;
    this.ratingAsked = rating;
    const { interview, place } = this.data;
    this.room.post.add({ type: "rate", interview, place, rating });
    this.draw();
  }

  goOn() {
    if (this.next) return;
    this.next = true;
    const { interview, place } = this.data;
    this.room.post.add({ type: "reviewed", interview, place, back: this.data.revisited });
    this.draw();
  }

  toEvidence() {
    const evidence = document.querySelector(".st-key-evidence");
    if (!evidence) return false;
    evidence.style.scrollMarginTop = "5rem"; // clear of the page's header
    evidence.scrollIntoView({ block: "start" });
    evidence.querySelector("button, a[href], summary, input")?.focus({ preventScroll: true });
    return true;
  }

  // --- building ------------------------------------------------------------------------------------

  build() {
    const { data } = this;
    const { words } = this.room;
    const { card } = data;
    const lang = { lang: card.lang };
    this.items = [];
    const title = html("h2", { class: "title", tabindex: "-1", ...lang }, card.title);
    const kicker = el("p", { class: "kicker" }, el("span", {}, fill(words.review_of, { n: data.place + 1, of: data.total })), el("span", lang, card.deck));
    const facts = [words[`outcome.${data.outcome}`], data.used, data.hints_used ? fill(words.hints_used, { n: data.hints_used }) : ""];
    const article = el(
      "article",
      { class: "card" },
      el("div", { class: "tools right" }, this.helpButton()),
      kicker,
      title,
      el("details", { class: "asked" }, el("summary", {}, words.show_question), html("div", { class: "text", ...lang }, card.prompt)),
      el("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
      this.own(words.your_notes, data.notes),
      this.own(words.transcript, data.transcript),
      el("h3", { class: "part" }, words.points_title),
      el("p", { class: "hint-line" }, words[this.hintWord()]),
      el("ol", { class: "points marks", ...lang }, ...data.points.map((point, index) => this.point(point, index))),
    );
    if (data.figures.length) {
      article.append(
        el("h3", { class: "part" }, words.key_figures),
        data.lines.length ? el("ul", { class: "lines", ...lang }, ...data.lines.map(line => html("li", {}, line))) : "",
        el("ul", { class: "marks figures-list", ...lang }, ...data.figures.map((figure, index) => this.figure(figure, index))),
      );
    }
    if (data.follow_up) article.append(this.followUp(data.follow_up, lang));
    if (data.predicted) article.append(this.predicted(data.predicted, lang));
    if (card.pitfall) {
      article.append(el("aside", { class: "pitfall" }, el("h3", {}, words.pitfall), html("div", { class: "text", ...lang }, card.pitfall)));
    }
    const band = el("section", { class: "band", "aria-live": "polite" }, el("h3", {}), el("p", {}));
    const grades = el("div", { class: "grades", role: "group", "aria-label": words.rating_title });
    for (const rating of [1, 2, 3, 4]) {
      const button = el(
        "button",
        { type: "button", "data-grade": String(rating) },
        el("span", { class: "name" }, words[`grade.${rating}`]),
        el("span", { class: "interval" }),
      );
      button.onclick = () => this.rate(rating);
      grades.append(button);
    }
    const agree = el("section", { class: "agree" }, el("h3", {}, words.rating_title), el("p", { class: "hint-line" }), grades);
    const on = el("button", { type: "button", class: "reveal" }, el("span", {}), el("kbd", {}, "Enter"));
    on.onclick = () => this.goOn();
    const bar = el("div", { class: "bar" }, el("div", { class: "inner deeds" }, on));
    article.append(band, agree);
    scrollTables(article, words.table);
    this.parts = { article, title, band, agree, grades, on };
    this.room.parts.review.replaceChildren(article, bar);
  }

  /** What the ticks rest on. */
  hintWord() {
    const { outcome, notes, transcript } = this.data;
    if (outcome === "skipped") return "points_hint_skipped";
    return notes || transcript ? "points_hint" : "points_hint_empty";
  }

  helpButton() {
    const button = el("button", { type: "button", class: "quiet", "aria-label": this.room.words.keys }, el("kbd", {}, "?"));
    button.onclick = () => this.room.openHelp();
    return button;
  }

  own(title, text) {
    if (!text) return null;
    return el("div", { class: "own" }, el("h3", {}, title), el("p", {}, text));
  }

  point(point, index) {
    const node = el(
      "li",
      {},
      html("h4", {}, point.heading || String(index + 1)),
      html("div", { class: "text" }, point.text),
    );
    node.append(this.choices("point", index, node.querySelector("h4").textContent));
    return this.item("point", index, node);
  }

  figure(figure, index) {
    const node = el("li", {}, html("div", { class: "figure" }, figure.text));
    node.append(this.choices("figure", index, node.querySelector(".figure").textContent));
    return this.item("figure", index, node);
  }

  followUp(follow, lang) {
    const { words } = this.room;
    const node = el("div", { class: "follow-mark" }, html("h4", {}, ""), html("div", { class: "text", ...lang }, follow.answer));
    node.querySelector("h4").textContent = words.follow_up_answer;
    node.append(this.choices("follow_up", 0, words.follow_up_answer));
    return el(
      "section",
      { class: "follow" },
      el("h3", { class: "part" }, words.follow_up),
      html("div", { class: "text", ...lang }, follow.prompt),
      this.own(words.your_notes, follow.notes),
      this.own(words.transcript, follow.transcript),
      this.item("follow_up", 0, node),
    );
  }

  predicted(predicted, lang) {
    const { words } = this.room;
    return el(
      "section",
      { class: "own" },
      el("h3", {}, words.predicted_title),
      el("p", {}, el("span", lang, predicted.label), predicted.text),
      el("p", { class: "hint-line" }, words.predicted_run),
    );
  }

  item(kind, index, node) {
    const place = this.items.length;
    this.items.push({ kind, index, node });
    node.classList.add("item");
    node.addEventListener("focusin", () => this.at(place));
    node.addEventListener("pointerdown", () => this.at(place));
    return node;
  }

  at(place) {
    this.current = place;
    this.drawCurrent();
  }

  choices(kind, index, label) {
    const group = el("div", { class: "choices", role: "radiogroup", "aria-label": label });
    this.ticksOf(kind).forEach((tick, place) => {
      const input = el("input", { type: "radio", name: `${kind}-${index}`, value: tick });
      input.onchange = () => this.tick({ kind, index }, tick);
      group.append(
        el("label", { "data-tick": tick }, input, el("span", {}, this.room.words[`tick.${tick}`]), el("kbd", {}, String(place + 1))),
      );
    });
    group.append(el("span", { class: "why" }));
    return group;
  }

  // --- drawing -------------------------------------------------------------------------------------

  draw() {
    const { data, parts } = this;
    const { words } = this.room;
    this.room.parts.bench.dataset.state = "review";
    this.room.parts.bench.dataset.place = String(data.place);
    for (const item of this.items) {
      const kept = item.kind === "point" ? data.points[item.index] : item.kind === "figure" ? data.figures[item.index] : data.follow_up;
      const mine = this.mine.get(`${item.kind}.${item.index}`);
      const tick = mine ?? kept.tick;
      for (const input of item.node.querySelectorAll("input")) input.checked = input.value === tick;
      const suggested = mine === undefined && tick !== null && !kept.by_learner;
      item.node.dataset.tick = tick ?? "";
      const why = item.node.querySelector(".why");
      why.textContent = !suggested ? "" : kept.found ? fill(words.suggested_by, { found: kept.found }) : words.suggested;
    }
    this.drawCurrent();
    const band = parts.band;
    band.dataset.band = data.band ?? "";
    band.querySelector("h3").textContent = data.band ? words[`band.${data.band}`] : words.band_none;
    band.querySelector("p").textContent = data.band ? words[`band.${data.band}.text`] : words.band_none_text;
    this.drawRating();
    parts.on.disabled = this.next === true;
    parts.on.querySelector("span").textContent = data.revisited ? words.back_to_report : data.last ? words.to_report : words.next_question;
  }

  drawCurrent() {
    this.items.forEach((item, place) => item.node.classList.toggle("current", place === this.current));
  }

  drawRating() {
    const { data, parts } = this;
    const { words } = this.room;
    const line = parts.agree.querySelector(".hint-line");
    const given = data.rating ?? this.ratingAsked ?? null;
    if (data.rating !== null) line.textContent = fill(words.rating_given, { rating: words[`grade.${data.rating}`] });
    else if (data.intervals === null) line.textContent = words.rating_gone;
    else if (data.proposal === null) line.textContent = words.rating_none;
    else line.textContent = fill(words.rating_hint, { rating: words[`grade.${data.proposal}`] });
    for (const button of parts.grades.querySelectorAll("button")) {
      const rating = Number(button.dataset.grade);
      button.querySelector(".interval").textContent = data.rating === null ? data.intervals?.[rating - 1] ?? "" : "";
      button.disabled = given !== null || data.intervals === null;
      button.classList.toggle("pending", given === rating);
      button.classList.toggle("proposed", given === null && data.proposal === rating);
      button.setAttribute("aria-pressed", String(given === rating));
    }
  }
}
