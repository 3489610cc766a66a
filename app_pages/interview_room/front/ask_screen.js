// The question as it is drawn and heard: clock, prompt, notes, buttons.

const AMBER_SHARE = 1 / 3;
const RED_SHARE = 1 / 6;
const RED_AT_LEAST_MS = 5000;
const HEARD_AT_MS = [60000, 30000, 10000]; // what is left is said to those who don't see it

class AskScreen {
  constructor(room) {
    this.room = room;
    this.parts = room.parts;
    this.data = null; // what the server said last
    this.said = new Set(); // marks of the clock that were spoken
  }

  drawClock(phase) {
    const p = this.parts;
    const left = phase in PART_OF || this.data.paused ? this.leftMs() : null;
    const shown = left !== null;
    if (p.clock.hidden === shown) {
      p.clock.hidden = !shown;
      p.drain.hidden = !shown;
    }
    if (!shown) {
      delete p.clock.dataset.left;
      return;
    }
    const length = this.data.lengths[this.data.paused ? this.data.phase : phase] || 1;
    const text = minutesAndSeconds(left);
    if (p.digits.textContent !== text) p.digits.textContent = text;
    p.clock.dataset.left = String(Math.round(left));
    const red = left <= Math.max(length * RED_SHARE, RED_AT_LEAST_MS);
    const level = phase === "thinking" ? "calm" : red ? "red" : left <= length * AMBER_SHARE ? "amber" : "calm";
    if (p.clock.dataset.level !== level) {
      p.clock.dataset.level = level;
      p.drain.dataset.level = level;
      p["left-word"].textContent = level === "calm" ? "" : this.room.words[`level.${level}`];
    }
    p.drain.style.setProperty("--share", (left / length).toFixed(4));
    if (!this.data.paused) this.hear(phase, left, length);
  }

  /** Says what is left, once at each mark that lies well inside the part. */
  hear(phase, left, length) {
    for (const mark of HEARD_AT_MS) {
      const name = `${phase}.${mark}`;
      if (length < mark * 1.5 || this.said.has(name) || left > mark) continue;
      this.said.add(name);
      if (left < mark - 2000) continue; // long past: the page was opened later
      const text = fill(this.room.words.left_say, { n: Math.round(mark / 1000) });
      if (mark <= 10000) this.room.shout(text);
      else this.room.say(text);
    }
  }

  // --- drawing -------------------------------------------------------------------------------------

  draw() {
    const { data } = this;
    const { words } = this.room;
    const p = this.parts;
    const phase = this.phase;
    const fresh = phase !== this.drawn || this.drawnPlace !== `${data.interview}.${data.place}`;
    this.drawn = phase;
    this.drawnPlace = `${data.interview}.${data.place}`;
    p.bench.dataset.state = phase;
    p.bench.dataset.place = String(data.place);
    p.bench.dataset.paused = String(data.paused);
    p.where.textContent = `${fill(words.where, { n: data.place + 1, of: data.total })} · ${words[`mode.${data.mode}`]}`;
    this.drawPlaces();
    p.phase.textContent = data.paused ? words.paused : words[`phase.${phase}`] ?? "";
    this.drawCard(phase);
    this.drawBetween(phase);
    this.drawField(phase);
    this.drawHints();
    this.drawBar(phase);
    this.drawClock(phase);
    if (fresh) this.arrive(phase);
  }

  drawPlaces() {
    const { data } = this;
    this.parts.places.replaceChildren(
      ...Array.from({ length: data.total }, (_, index) =>
        el("li", { class: index < data.place ? "past" : index === data.place ? "here" : "" }),
      ),
    );
  }

  drawCard(phase) {
    const { data } = this;
    const p = this.parts;
    const shown = data.card !== null && phase !== "ready";
    p.card.hidden = !shown;
    const key = shown ? JSON.stringify(data.card) + data.language : "";
    if (shown && this.cardDrawn !== key) {
      const { card } = data;
      const line = el("p", { class: "kicker" });
      if (card.priority) line.append(el("span", { class: "priority" }, this.room.words.priority));
      line.append(el("span", { lang: card.lang }, card.deck), el("span", {}, this.room.words[`kind.${card.kind}`]));
      p.card.replaceChildren(
        line,
        html("h2", { class: "title", lang: card.lang, tabindex: "-1" }, card.title),
        html("div", { class: "prompt text", lang: card.lang }, card.prompt),
      );
      scrollTables(p.card, this.room.words.table);
    }
    this.cardDrawn = key;
    const next = data.follow_up ?? (data.live ? "" : null);
    p.next.hidden = next === null || phase === "over";
    if (data.follow_up !== null) {
      p.next.replaceChildren(
        el("h3", {}, this.room.words.follow_up),
        html("div", { class: "text prompt", lang: data.card.lang }, data.follow_up),
      );
    } else if (data.live) {
      p.next.replaceChildren(
        el("h3", {}, this.room.words.predict_title),
        el("p", { class: "prompt", lang: data.card.lang }, data.live.label),
      );
    }
  }

  drawBetween(phase) {
    const { words } = this.room;
    const p = this.parts;
    const key = { ready: "ready", predict_ready: "predict_ready", follow_ready: "follow_ready", over: "over" }[phase];
    p.between.hidden = key === undefined;
    if (key === undefined) return;
    p["between-title"].textContent = fill(words[`${key}_title`], { n: this.data.place + 1, of: this.data.total });
    const seconds = { ready: "answering", predict_ready: "predicting", follow_ready: "following" }[phase];
    const text = key === "ready" && !this.data.lengths.thinking ? "ready_text_at_once" : `${key}_text`;
    p["between-text"].textContent = fill(words[text], {
      n: Math.round((this.data.lengths[seconds] ?? 0) / 1000),
      thinking: Math.round(this.data.lengths.thinking / 1000),
    });
  }

  drawField(phase) {
    const { data } = this;
    const { words } = this.room;
    const p = this.parts;
    const part = PART_OF[phase];
    if (part === undefined) {
      this.lock();
      p.typed.hidden = true;
      this.field = null;
      return;
    }
    p.typed.hidden = false;
    const number = part === "predict";
    p["number-row"].hidden = !number;
    p.notes.hidden = number;
    p["typed-label"].textContent = number ? words.predict_label : words.notes;
    p["typed-label"].htmlFor = number ? "typed-number" : "typed";
    p.number.id = "typed-number";
    p.unit.textContent = data.live?.unit ?? "";
    const name = Drafts.name(data.interview, data.place, part);
    const newest = this.room.drafts.newest(data.interview, data.place, part, data.drafts[part]);
    if (this.field?.name === name) {
      this.elsewhere({ name, ...newest });
      this.drawKept();
      return;
    }
    const node = number ? p.number : p.notes;
    node.readOnly = false;
    p.notes.maxLength = data.longest;
    node.value = newest.text;
    this.field = { name, node, part, interview: data.interview, place: data.place, text: newest.text, seq: newest.seq };
    this.drawKept();
  }

  drawKept() {
    if (this.field === null) return;
    const { words, drafts } = this.room;
    const waiting = drafts.held.has(this.field.name);
    const full = this.field.text.length >= this.data.longest;
    const text = drafts.failed ? words.kept_page : full ? words.kept_full : waiting ? words.kept_here : this.field.text ? words.kept_saved : "";
    if (this.parts.kept.textContent !== text) this.parts.kept.textContent = text;
  }

  drawHints() {
    const { data } = this;
    const shown = ["thinking", "answering"].includes(this.phase) ? data.hints.slice(0, data.hints_shown) : [];
    this.parts.hints.hidden = shown.length === 0;
    this.parts.hints.replaceChildren(...shown.map(text => el("li", { lang: data.card?.lang }, text)));
  }

  drawBar(phase) {
    const { data } = this;
    const { words } = this.room;
    const p = this.parts;
    const word = data.paused ? "go.paused" : `go.${phase}`;
    p.go.querySelector("span").textContent = words[word] ?? words["go.over"];
    const typing = phase in PART_OF && phase !== "thinking" && !data.paused;
    p.go.querySelector("kbd").textContent = typing ? "Ctrl Enter" : "Enter";
    p.go.disabled = phase === "over" || this.asked === phase;
    const practice = data.mode === "practice";
    p.pause.hidden = !practice || !(phase in PART_OF || data.paused) || data.paused;
    p.pause.querySelector("span").textContent = words.pause;
    p.hint.hidden = !practice || !["thinking", "answering"].includes(phase);
    p.hint.disabled = data.hints_shown >= data.hints.length;
    p.skip.hidden = phase === "over";
  }

  /** The field takes the focus, once more after painting: a page that is just being built takes it away. */
  toField() {
    const { node } = this.field;
    node.focus({ preventScroll: true });
    afterPaint(() => {
      const taken = document.activeElement;
      const free = taken === null || taken === document.body || taken === this.room.root.host;
      if (free && this.field?.node === node) node.focus({ preventScroll: true });
    });
  }

  /** A part begins: what it is is said, and the focus goes where it is needed. */
  arrive(phase) {
    const { words, data } = { words: this.room.words, data: this.data };
    if (phase in PART_OF) {
      const seconds = Math.round(data.lengths[phase] / 1000);
      this.room.say(fill(words[`begin_say.${phase}`], { n: seconds, title: data.card?.plain_title ?? "" }));
      if (!data.paused) this.toField();
      if (phase === "predicting" || phase === "following") this.parts.typed.scrollIntoView({ block: "nearest" });
    } else if (phase !== "over") {
      this.parts["between-title"].focus({ preventScroll: true });
      this.room.top();
    }
  }
}

/** A wide table scrolls by itself, also with the keyboard; the page never does. */
function scrollTables(node, label) {
  for (const table of node.querySelectorAll("table")) {
    const frame = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label });
    table.replaceWith(frame);
    frame.append(table);
  }
}
