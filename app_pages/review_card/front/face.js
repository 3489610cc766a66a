// A card as DOM. The HTML in a card comes from app_pages/markup.py, which lets no raw HTML through.

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

function html(tag, attributes, markup) {
  const node = el(tag, attributes);
  node.innerHTML = markup;
  return node;
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

function kicker(card, words) {
  const parts = [el("span", { lang: card.lang }, card.deck), words[`kind.${card.kind}`]];
  if (card.lessons.length) {
    const names = card.lessons.join(", ");
    // "Lesson 55, 61", but "Day 11" says by itself what it is
    parts.push(/^[\d, ]+$/.test(names) ? fill(words.lessons, { names }) : names);
  }
  const line = el("p", { class: "kicker" });
  if (card.priority) line.append(el("span", { class: "priority" }, words.priority));
  for (const part of parts) line.append(el("span", {}, part));
  return line;
}

function answer(card, words) {
  const list = el("ol", { class: "points", lang: card.lang });
  for (const point of card.points) {
    list.append(
      el(
        "li",
        {},
        point.heading ? html("h3", {}, point.heading) : null,
        html("div", { class: "text" }, point.text),
      ),
    );
  }
  const section = el("section", { class: "answer", tabindex: "-1", "aria-label": words.answer }, list);
  if (card.figures.length) {
    const figures = el("ul", { lang: card.lang });
    for (const figure of card.figures) figures.append(html("li", {}, figure));
    section.append(el("aside", { class: "figures" }, el("h3", {}, words.key_figures), figures));
  }
  if (card.pitfall) {
    section.append(
      el(
        "aside",
        { class: "pitfall" },
        el("h3", {}, words.pitfall),
        html("div", { class: "text", lang: card.lang }, card.pitfall),
      ),
    );
  }
  for (const next of card.follow_ups) {
    section.append(
      el(
        "div",
        { class: "follow-up" },
        el("h3", {}, words.follow_up),
        html("div", { class: "text", lang: card.lang }, next.prompt),
        el(
          "details",
          {},
          el("summary", {}, words.follow_up_answer),
          html("div", { class: "text", lang: card.lang }, next.answer),
        ),
      ),
    );
  }
  section.append(el("p", { class: "source", lang: card.lang }, `${words.source} ${card.source}`));
  return section;
}

/** The card's article, its answer hidden. */
function build(card, words) {
  const face = el(
    "article",
    { class: "card" },
    kicker(card, words),
    html("h2", { class: "title", lang: card.lang, tabindex: "-1" }, card.title),
    html("div", { class: "prompt text", lang: card.lang }, card.prompt),
  );
  const hidden = answer(card, words);
  hidden.hidden = true;
  face.append(hidden);
  for (const table of face.querySelectorAll("table")) {
    // A wide table scrolls by itself, also with the keyboard; the page never does.
    const frame = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": words.table });
    table.replaceWith(frame);
    frame.append(table);
  }
  return face;
}
