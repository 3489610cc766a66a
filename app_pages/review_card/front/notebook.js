// The mistake notebook while reviewing: a card's lines below its answer, and one line on what was wrong, either
// there or, after Again, above the next card. It takes the keyboard only when asked to (key or button).

const LONGEST_LINE = "500";

class Notebook {
  constructor(root, review) {
    this.review = review;
    this.lines = new Map(); // card id -> [{nonce, text, times}], open ones
    this.after = null; // the card that was just answered Again: {card_id, title, lang, answer}
    this.below = el("section", { class: "notebook", hidden: true });
    this.above = el("section", { class: "notebook after", hidden: true });
    const stage = root.querySelector('[data-part="stage"]');
    stage.after(this.below);
    stage.before(this.above);
    this.typing = null; // the box whose field is open
    this.drawn = "";
  }

  /** What the server says of the cards that lie ready. */
  take(data) {
    const waiting = this.review.outbox.ops.some(op => op.type === "mistake");
    if (data.mistakes === null || waiting) return;
    for (const { card_id } of data.items) this.lines.delete(card_id);
    for (const [cardId, lines] of Object.entries(data.mistakes)) this.lines.set(cardId, lines);
  }

  /** An answer was given: after Again there is something to say of it. */
  graded(item, rating, nonce) {
    const { queue } = this.review;
    const card = queue.card(item);
    this.after = rating === 1 ? { card_id: item.card_id, title: card.plain_title, lang: card.lang, nonce } : null;
    this.typing = null;
  }

  /** An answer was taken back: what was to be said of it isn't any more. */
  takenBack(nonce) {
    if (this.after?.nonce === nonce) this.after = null;
    this.typing = null;
  }

  /** Opens the field: of the answer in view, else of the card just answered Again. Says whether there is one. */
  open() {
    const { view, revealed, silent } = this.review;
    if (silent) return false;
    if (view !== null && revealed) this.typing = "below";
    else if (this.after !== null) this.typing = "above";
    else return false;
    this.draw();
    this[this.typing].querySelector("input")?.focus();
    return true;
  }

  close() {
    this.typing = null;
    this.draw();
    this.review.screen.toTitle();
  }

  /** Draws both boxes, where what they say differs from what they show. */
  draw() {
    const { view, revealed, words } = this.review;
    const here = view !== null && revealed ? view.card_id : null;
    const state = JSON.stringify([here, this.lines.get(here), this.after, this.lines.get(this.after?.card_id), this.typing, this.review.language]);
    if (state === this.drawn) return;
    this.drawn = state;
    this.below.hidden = here === null;
    this.above.hidden = this.after === null;
    if (here !== null) {
      const lang = this.review.queue.card(view).lang;
      const lines = this.lines.get(here) ?? [];
      this.below.setAttribute("aria-label", words.notebook);
      this.below.classList.toggle("plain", lines.length === 0 && this.typing !== "below");
      this.below.replaceChildren(
        ...(lines.length ? [el("h3", {}, words.notebook), this.list(here, lines, lang)] : []),
        this.typing === "below" ? this.form(here, lang) : this.button(words["note.open"]),
      );
    }
    if (this.after !== null) {
      const { card_id, title, lang } = this.after;
      const lines = this.lines.get(card_id) ?? [];
      this.above.setAttribute("aria-label", words.notebook);
      this.above.replaceChildren(
        el("p", {}, words["note.of"], " ", el("b", { lang }, title)),
        ...(lines.length ? [this.list(card_id, lines, lang)] : []),
        this.typing === "above" ? this.form(card_id, lang) : this.button(words["note.after"]),
      );
    }
  }

  list(cardId, lines, lang) {
    const { words } = this.review;
    return el(
      "ul",
      {},
      ...lines.map(line => {
        const again = el("button", { type: "button", class: "quiet", title: words["note.again_help"] }, words["note.again"]);
        again.onclick = event => this.review.click(event) && this.again(cardId, line);
        const times = line.times > 1 ? el("small", {}, fill(words["note.times"], { n: line.times })) : null;
        return el("li", {}, el("span", { lang }, line.text), times, again);
      }),
    );
  }

  button(text) {
    const button = el("button", { type: "button", class: "quiet" }, text, el("kbd", { "data-key": "note" }, this.review.actions.keyOf("note")));
    button.onclick = event => this.review.click(event) && this.open();
    return button;
  }

  form(cardId, lang) {
    const { words } = this.review;
    const input = el("input", {
      type: "text", autocomplete: "off", enterkeyhint: "done", maxlength: LONGEST_LINE, lang,
      "aria-label": words["note.after"], placeholder: words["note.hint"],
    });
    const cancel = el("button", { type: "button", class: "quiet" }, words.close);
    cancel.onclick = () => this.close();
    const form = el("form", {}, input, el("button", { type: "submit" }, words["note.keep"]), cancel);
    form.onsubmit = event => {
      event.preventDefault();
      this.keep(cardId, input.value);
    };
    form.onkeydown = event => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.stopPropagation();
      this.close();
    };
    return form;
  }

  keep(cardId, value) {
    const text = value.trim().replace(/\s+/g, " ");
    if (!text) return;
    const { nonce } = this.review.outbox.add({ type: "mistake", kind: "note", card_id: cardId, text });
    this.lines.set(cardId, [...(this.lines.get(cardId) ?? []), { nonce, text, times: 1 }]);
    this.done(cardId);
  }

  again(cardId, line) {
    this.review.outbox.add({ type: "mistake", kind: "again", card_id: cardId, about: line.nonce });
    line.times += 1;
    this.done(cardId);
  }

  done(cardId) {
    if (this.after?.card_id === cardId && this.typing !== "below") this.after = null;
    this.close();
    this.review.screen.note("calm", this.review.words["note.kept"]);
    this.review.screen.say(this.review.words["note.kept"]);
    this.review.tell();
  }
}
