// A prediction of one of the card's numbers, typed before the answer is shown. The store decides whether it
// came in time; here it only goes away with the answer.

class Predict {
  constructor(root, review) {
    this.review = review;
    this.made = new Map(); // card id -> [{nonce, claim, text}] of this page's life
    this.seen = new Set(); // ids of cards whose numbers were seen today
    this.isOpen = false;
    this.of = null; // the face that the box was built for
    this.box = el("section", { class: "predict", hidden: true });
    root.querySelector('[data-part="stage"]').after(this.box);
  }

  /** What the server says: cards seen today, predictions that it didn't take. */
  take(data) {
    for (const cardId of data.seen ?? []) this.seen.add(cardId);
    this.target = data.predict_for;
    const refused = new Set(data.refused.map(each => each.nonce));
    for (const [cardId, list] of this.made) {
      const gone = list.find(each => refused.has(each.nonce));
      if (gone === undefined) continue;
      this.made.set(cardId, list.filter(each => !refused.has(each.nonce)));
      if (cardId === this.review.view?.card_id && this.input?.value === "") {
        this.choice.value = gone.claim;
        this.input.value = gone.text;
        this.name();
      }
      this.list();
    }
  }

  get card() {
    const { view, revealed, queue, words } = this.review;
    if (view === null || words === undefined) return null;
    if (revealed) this.seen.add(view.card_id);
    if (revealed || this.seen.has(view.card_id)) return null;
    const card = queue.card(view);
    return card?.claims?.length ? card : null;
  }

  draw() {
    const { card } = this;
    this.box.hidden = card === null;
    if (card === null) {
      this.isOpen = false;
      this.of = null;
    } else if (this.of !== card || this.said !== this.review.language) {
      this.of = card;
      this.said = this.review.language;
      this.isOpen = false;
      this.build();
    }
  }

  /** Opens the box; says whether there is something to predict. */
  open() {
    if (this.card === null) {
      const { view, revealed, queue, screen, words } = this.review;
      if (view === null || revealed || !queue.card(view)?.claims?.length) return false;
      screen.note("calm", words["predict.closed"]);
      return true;
    }
    this.isOpen = true;
    this.build();
    this.input.focus();
    return true;
  }

  close() {
    this.isOpen = false;
    this.build();
    this.review.screen.toTitle();
  }

  build() {
    const { words } = this.review;
    this.kept = el("ul", { class: "made", "aria-label": words["predict.made"] });
    this.box.setAttribute("aria-label", words["predict.title"]);
    if (this.isOpen) {
      this.box.replaceChildren(this.form(), this.kept);
    } else {
      const button = el("button", { type: "button", class: "quiet" }, words["predict.open"], el("kbd", {}, "P"));
      button.onclick = event => this.review.click(event) && this.open();
      this.input = null;
      this.box.replaceChildren(button, this.kept);
    }
    this.list();
  }

  form() {
    const { words } = this.review;
    const { claims, lang } = this.of;
    const open = claims.filter(claim => !this.of_card().some(each => each.claim === claim.id));
    const first = open[0] ?? claims[0];
    this.input = el("input", {
      type: "text", autocomplete: "off", spellcheck: "false", enterkeyhint: "done", maxlength: "200",
      "aria-label": words["predict.title"], placeholder: words["predict.hint"],
    });
    this.unit = el("span", { class: "unit" });
    this.on = el("p", { class: "on" });
    this.choice = el("select", { "aria-label": words["predict.which"], lang },
      ...claims.map(claim => el("option", { value: claim.id, selected: claim === first }, claim.label)));
    this.choice.onchange = () => this.name();
    const which = claims.length > 1 ? this.choice : el("p", { class: "which", lang }, first.label);
    const form = el("form", {}, which,
      el("div", { class: "line" }, this.input, this.unit,
        el("button", { type: "submit" }, words["predict.keep"]),
        el("button", { type: "button", class: "quiet" }, words["predict.close"])),
      this.on);
    form.querySelector(".quiet").onclick = () => this.close();
    form.onsubmit = event => {
      event.preventDefault();
      this.send();
    };
    form.onkeydown = event => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.stopPropagation();
      this.close();
    };
    this.name();
    return form;
  }

  get claim() {
    return this.of.claims.find(claim => claim.id === this.choice.value);
  }

  /** The unit and the GPU of the chosen claim. */
  name() {
    const { unit, on } = this.claim;
    const gpu = this.target ?? on;
    this.unit.textContent = unit;
    this.on.textContent = gpu ? fill(this.review.words["predict.on"], { gpu }) : "";
    this.on.hidden = !gpu;
  }

  send() {
    const text = this.input.value.trim();
    if (!text || this.card === null) return;
    const claim = this.claim.id;
    const card_id = this.review.view.card_id;
    const { nonce } = this.review.outbox.add({ type: "predict", card_id, claim_id: claim, text });
    this.made.set(card_id, [...this.of_card().filter(each => each.claim !== claim), { nonce, claim, text }]);
    this.review.screen.note();
    this.review.screen.say(fill(this.review.words["predict.said"], { text }));
    const more = this.of.claims.some(each => !this.of_card().some(made => made.claim === each.id));
    if (more) this.open();
    else this.close();
    this.review.screen.draw();
    this.review.tell();
  }

  of_card() {
    return this.made.get(this.review.view.card_id) ?? [];
  }

  /** What was predicted so far, above the bar. */
  list() {
    if (this.of === null || this.review.view === null) return;
    this.kept.replaceChildren(
      ...this.of_card().map(each => {
        const claim = this.of.claims.find(one => one.id === each.claim);
        return el("li", {}, el("span", { lang: this.of.lang }, claim?.label ?? each.claim), el("b", {}, each.text));
      }),
    );
    this.kept.hidden = this.of_card().length === 0;
  }
}
