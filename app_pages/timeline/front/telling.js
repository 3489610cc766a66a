// What is chosen, in words: below the picture, beside the pointer, and as a table.

const TABLE_ROWS = 50;

class Telling {
  constructor(parts, choose) {
    this.parts = parts;
    this.choose = choose;
    this.tabled = "";
    parts.details.addEventListener("toggle", () => this.table());
  }

  receive(head, gaps, longest) {
    Object.assign(this, { head, words: head.words, gaps, longest, language: head.language });
    this.parts.notes.replaceChildren(...head.notes.map(note => el("li", {}, note)));
    this.parts.details.hidden = longest.length === 0;
    this.table();
  }

  duration(ns) {
    return durationText(ns, this.language);
  }

  /** What the GPU waited for in a gap, as far as it is known. */
  waits(gap) {
    const { words, head } = this;
    const call = this.gaps.call[gap];
    const operator = this.gaps.operator[gap];
    if (call < 0) return words.unknown;
    return operator < 0
      ? head.names[call]
      : `${head.names[operator]} → ${head.names[call]}`;
  }

  gap(gap) {
    const { words, head } = this;
    const story = head.stories[gap];
    if (story !== undefined) {
      this.tell(
        el("h3", {}, story.title),
        el("p", {}, story.what),
        el(
          "div",
          { class: "columns" },
          this.list("ul", words.cpu_title, story.cpu),
          this.list("ol", words.ways_title, story.ways),
        ),
      );
      return;
    }
    const duration = this.duration(this.gaps.duration[gap]);
    const rank = { rank: this.gaps.rank[gap], of: this.gaps.start.length, duration };
    this.tell(
      el("h3", {}, fill(words.gap_rank, rank)),
      el("p", {}, this.waits(gap)),
      el("p", { class: "faint" }, words.loading),
    );
  }

  list(tag, title, lines) {
    if (lines.length === 0) return "";
    return el("div", {}, el("h4", {}, title), el(tag, {}, ...lines.map(line => el("li", {}, line))));
  }

  bar(cut, bar) {
    const name = this.head.names[cut.name[bar]];
    this.tell(el("h3", {}, name), ...this.barLines(cut, bar).map(line => el("p", {}, line)));
  }

  barLines(cut, bar) {
    const { words, language } = this;
    const start = whenText(cut.start[bar], language);
    const lines = [fill(words.bar_at, { duration: this.duration(cut.duration[bar]), start })];
    if (cut.count[bar] > 1) lines.push(fill(words.bar_merged, { n: cut.count[bar] }));
    const launch = cut.link[bar];
    if (launch >= 0) {
      const delay = this.duration(cut.start[bar] - cut.start[launch]);
      lines.push(fill(words.bar_launched, { call: this.head.names[cut.name[launch]], delay }));
    }
    return lines;
  }

  measured(ns) {
    this.tell(el("h3", {}, fill(this.words.measured, { duration: this.duration(ns) })));
  }

  nothing() {
    const { words, head, longest } = this;
    const line = head.devices.length === 0 ? words.no_gpu : longest.length > 0 ? words.nothing : words.no_gaps;
    this.tell(el("p", { class: "faint" }, line));
  }

  tell(...nodes) {
    const before = [...this.parts.told.childNodes].map(node => node.outerHTML).join("");
    if (before !== nodes.map(node => node.outerHTML).join("")) this.parts.told.replaceChildren(...nodes);
  }

  /** Beside the pointer; `lines` null hides it. */
  tip(lines, at, width) {
    const { tip } = this.parts;
    tip.hidden = lines === null;
    if (lines === null) return;
    const text = lines.join("\n");
    if (tip.textContent !== text) {
      tip.replaceChildren(...lines.flatMap((line, place) => (place ? [el("br"), line] : [line])));
    }
    const left = Math.max(4, Math.min(at.x + 14, width - tip.offsetWidth - 4));
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(at.y + 18)}px)`;
  }

  table() {
    const shown = `${this.head.id} ${this.language}`;
    if (!this.parts.details.open || this.tabled === shown) return;
    this.tabled = shown;
    const { words, gaps, language, head } = this;
    this.parts.rows.replaceChildren(
      ...[...this.longest.slice(0, TABLE_ROWS)].map((gap, place) => {
        const button = el("button", { type: "button", "aria-label": fill(words["table.show"], { rank: place + 1 }) }, String(place + 1));
        button.onclick = () => this.choose(gap);
        const row = el(
          "tr",
          { "data-gap": gap },
          el("td", {}, button),
          el("td", {}, this.duration(gaps.duration[gap])),
          el("td", {}, whenText(gaps.start[gap], language)),
          el("td", {}, String(head.devices[gaps.device[gap]].device)),
          el("td", {}, this.waits(gap)),
        );
        return row;
      }),
    );
    this.markRow(this.marked);
  }

  markRow(gap) {
    this.marked = gap;
    for (const row of this.parts.rows.children) row.setAttribute("aria-current", String(row.dataset.gap === String(gap)));
  }
}
