// What can be done to the card in view besides grading it: by key, or from the menu behind ⋯.

class Actions {
  constructor(root, review) {
    this.review = review;
    this.root = root;
    const find = name => root.querySelector(`[data-part="${name}"]`);
    this.menu = find("menu");
    this.info = find("info");
    this.infoTitle = find("info-title");
    this.infoText = find("info-text");
    this.byKey = new Map(); // key -> action
    this.asked = null; // id of the card whose history was asked for and hasn't come
    this.more = find("more");
    this.more.onclick = event => review.click(event) && this.open();
    find("info-close").onclick = () => this.info.close();
    for (const button of this.menu.querySelectorAll("[data-act]")) {
      button.onclick = () => {
        this.menu.close();
        if (button.dataset.act !== "close") this.act(button.dataset.act);
      };
    }
    this.info.onclose = () => {
      this.asked = null;
    };
  }

  get isOpen() {
    return this.menu.open || this.info.open;
  }

  /** A key while the menu or a history is open: Space and Enter press the button that has the focus. */
  whileOpen(name) {
    if (name === "go") return false;
    const inMenu = this.menu.open;
    this.menu.close();
    this.info.close();
    if (inMenu && name !== "more" && this.knows(name)) this.act(name);
    return true;
  }

  /** The keys as the learner set them; a history that was asked for. */
  take(data) {
    const said = JSON.stringify(data.keys);
    if (said !== this.said) {
      this.said = said;
      this.byKey = new Map(Object.entries(data.keys).map(([action, key]) => [key, action]));
      for (const node of this.root.querySelectorAll("[data-key]")) {
        node.textContent = data.keys[node.dataset.key].toUpperCase();
      }
    }
    if (data.info !== null && data.info.card_id === this.asked && this.info.open) {
      this.asked = null;
      this.infoTitle.textContent = data.info.title;
      this.infoText.innerHTML = data.info.html; // from app_pages/card_info.py, which escapes every text
    }
  }

  /** The key of an action as it is shown. */
  keyOf(name) {
    for (const [key, action] of this.byKey) if (action === name) return key.toUpperCase();
    return "";
  }

  knows(name) {
    return ["more", "bury", "suspend", "mark", "info", "edit"].includes(name);
  }

  act(name) {
    const { review } = this;
    if (review.view === null || review.silent) return false;
    if (name === "more") this.open();
    else if (name === "edit") review.edit();
    else if (name === "info") this.ask();
    else if (name === "mark") review.change(this.marked ? "unmark" : "mark");
    else if (name === "bury" && review.data.practice !== null) return false; // only the schedule knows tomorrow
    else review.change(name);
    return true;
  }

  get marked() {
    const { view, outbox } = this.review;
    return view !== null && outbox.marked(view.card_id, view.marked);
  }

  open() {
    if (this.review.view === null || this.review.silent) return;
    const { words, data } = this.review;
    this.menu.querySelector('[data-word="act.mark"]').textContent = words[this.marked ? "act.unmark" : "act.mark"];
    for (const name of ["bury", "reset"]) {
      this.menu.querySelector(`[data-act="${name}"]`).hidden = data.practice !== null;
    }
    this.menu.showModal();
  }

  /** Asks the server for what is known of the card in view. */
  ask() {
    const { view, words, queue } = this.review;
    this.asked = view.card_id;
    this.infoTitle.textContent = queue.card(view).plain_title;
    this.infoText.textContent = words.loading;
    this.info.showModal();
    this.review.tell();
  }

  /** The signs above the card: marked, a leech. */
  draw() {
    const { view, screen, words, silent } = this.review;
    this.more.disabled = silent || view === null;
    afterPaint(() => this.nameUndo());
    const kicker = screen.shown?.querySelector(".kicker");
    if (kicker) {
      const signs = [this.marked && ["marked", words.marked], view.leech && ["leech", words.leech]].filter(Boolean);
      const wanted = signs.map(([, text]) => text).join();
      if ((kicker.dataset.signs ?? "") !== wanted) {
        kicker.dataset.signs = wanted;
        for (const old of kicker.querySelectorAll(".sign")) old.remove();
        kicker.prepend(...signs.map(([name, text]) => el("span", { class: `sign ${name}` }, text)));
      }
    }
  }

  /** Says what Undo would take back, as far as this page knows. */
  nameUndo() {
    const { screen, words, past, queue } = this.review;
    const last = past.at(-1);
    const title = last && (queue.card(last.item)?.plain_title ?? last.item.card_id);
    const rating = last && words[`grade.${last.rating}`];
    const what = !last ? "" : last.kind ? fill(words[`did.${last.kind}`], { title }) : fill(words["undo_of.answer"], { rating, title });
    screen.parts.undo.title = what && fill(words.undo_of, { what });
  }
}
