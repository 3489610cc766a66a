// What is chosen in the picture, by pointer, keys, search or table, and who must know of it.

const SEEN_MERGED = 3; // pixels from which one sees that a bar stands for many

class Timeline extends Viewing {
  constructor(root) {
    super(root);
    const p = this.parts;
    this.telling = new Telling(p, gap => this.chooseGap(gap));
    this.asked = "";
    this.pointerIn = false;
    watchPointer(p.canvas, {
      view: this.view,
      moved: () => this.wake(),
      scroll: pixels => this.scroll(pixels),
      select: at => this.select(this.hit(at)),
      double: at => this.fit(this.hit(at) ?? this.chosen),
      hover: at => this.hover(at),
      leave: () => this.hover(null),
      measure: stretch => this.measured(stretch),
      focused: () => this.hasFocus(),
    });
    this.endKeys = watchKeys({
      view: this.view,
      pressed: () => delete p.canvas.dataset.pointed,
      ours: event => this.ours(event),
      typing: event => event.composedPath()[0]?.localName === "input",
      moved: () => this.wake(),
      gap: step => this.stepGap(step),
      fit: () => this.fit(this.chosen),
      whole: () => this.whole(true),
      search: () => p.search.focus(),
      none: () => this.none(),
      help: () => p.keys.showModal(),
      rows: pixels => this.scroll(pixels),
    });
    this.wireTools();
  }

  wireTools() {
    const p = this.parts;
    p["gap-next"].onclick = () => this.stepGap(1);
    p["gap-previous"].onclick = () => this.stepGap(-1);
    p["zoom-in"].onclick = () => this.zoomBy(0.5);
    p["zoom-out"].onclick = () => this.zoomBy(2);
    p.whole.onclick = () => this.whole(true);
    p.help.onclick = () => p.keys.showModal();
    p.close.onclick = () => p.keys.close();
    p.search.oninput = () => this.look();
    p.search.onkeydown = event => {
      if (event.isComposing) return;
      if (event.key === "Enter") this.find(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") {
        p.search.value = "";
        this.look();
        p.canvas.focus({ preventScroll: true });
      } else return;
      event.preventDefault();
      event.stopPropagation();
    };
    p["search-next"].onclick = () => this.find(1);
    p["search-previous"].onclick = () => this.find(-1);
    p.stage.addEventListener("pointerenter", () => (this.pointerIn = true));
    p.stage.addEventListener("pointerleave", () => (this.pointerIn = false));
  }

  close() {
    super.close();
    this.endKeys();
    clearTimeout(this.reporting);
  }

  // --- what the server says ------------------------------------------------------------------------

  receive(bytes, report) {
    this.report = report;
    const { head, body } = headOf(bytes);
    const at = name => [body + head.sections[name][0], head.sections[name][1]];
    const fresh = head.id !== this.id || head.language !== this.head?.language;
    const sentTo = head.first !== null && head.first.times !== this.head?.first?.times ? head.first.gap : null;
    this.head = head;
    if (fresh) {
      this.id = head.id;
      this.gaps = gapsOf(bytes, at("gaps")[0], head.gaps);
      this.overview = cutOf(bytes, at("overview")[0]);
      this.detail = null;
      this.arrange();
    }
    if (at("detail")[1] > 0) this.detail = cutOf(bytes, at("detail")[0]);
    const before = this.colours?.key;
    this.colours = new Colours(this.parts.timeline, head.short);
    this.telling.receive(head, this.gaps, this.longest);
    if (fresh) this.begin();
    else if (sentTo !== null) this.chooseGap(sentTo);
    else if (this.chosen?.gap !== undefined) this.telling.gap(this.chosen.gap);
    if (fresh || before !== this.colours.key) this.size = null;
    this.resize();
    this.wake();
  }

  begin() {
    this.chosen = null;
    this.measure = null;
    this.placed = false;
    this.whole(false);
    const { first } = this.head;
    this.parts["gap-next"].disabled = this.longest.length === 0;
    this.parts["gap-previous"].disabled = this.longest.length === 0;
    if (first === null) this.telling.nothing();
    else {
      this.chosen = { gap: first.gap };
      this.telling.gap(first.gap);
      this.telling.markRow(first.gap);
      if (first.times > 0) this.show(this.gaps.start[first.gap], this.gaps.duration[first.gap], GAP_ROOM, false);
    }
  }

  // --- choosing ------------------------------------------------------------------------------------

  stepGap(step) {
    const { longest, gaps, chosen } = this;
    if (longest.length === 0) return;
    let place = 0;
    // the one that is told at the beginning is gone to first
    if (chosen?.gap !== undefined && (this.gone || this.inView(chosen.gap))) {
      place = (gaps.rank[chosen.gap] - 1 + step + longest.length) % longest.length;
    }
    this.gone = true;
    this.chooseGap(longest[place]);
  }

  inView(gap) {
    return this.gaps.duration[gap] * this.view.scale > 24;
  }

  chooseGap(gap) {
    this.choose({ gap });
    this.show(this.gaps.start[gap], this.gaps.duration[gap], GAP_ROOM);
    const { device } = this.head.devices[this.gaps.device[gap]];
    const track = this.layout.tracks.find(each => each.kind === "gaps" && each.device === device);
    if (track.y + track.height + GPU_LANE + CAPTION > this.top + this.height || track.y < this.top + AXIS) {
      this.top = track.y + track.height + GPU_LANE + CAPTION - this.height;
      this.scroll(0);
    }
  }

  select(mark) {
    this.measure = null;
    this.choose(mark);
  }

  choose(mark) {
    this.chosen = mark;
    if (mark === null) this.telling.nothing();
    else if (mark.gap !== undefined) this.telling.gap(mark.gap);
    else {
      const bar = barOf(this.cut, mark);
      if (bar >= 0) this.telling.bar(this.cut, bar);
    }
    this.telling.markRow(mark?.gap);
    this.wake();
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => this.ask(), SETTLED_MS);
  }

  none() {
    if (this.parts.keys.open) return false;
    if (this.chosen === null && this.measure === null) return false;
    this.measure = null;
    this.choose(null);
    return true;
  }

  measured(stretch) {
    this.measure = stretch === null ? null : { ...stretch };
    if (stretch !== null) this.telling.measured(Math.abs(stretch.to - stretch.from));
    this.wake();
  }

  hover(at) {
    this.view.anchor = at === null ? null : at.x;
    const mark = at === null ? null : this.hit(at);
    const same = JSON.stringify(mark) === JSON.stringify(this.hovered);
    this.hovered = mark;
    this.telling.tip(mark === null ? null : this.tipOf(mark), at, this.painter.width);
    if (!same) this.wake();
  }

  tipOf(mark) {
    const { words, language } = this.head;
    if (mark.gap !== undefined) {
      return [fill(words.gap, { duration: durationText(this.gaps.duration[mark.gap], language) }), this.telling.waits(mark.gap)];
    }
    const bar = barOf(this.cut, mark);
    return bar < 0 ? null : [this.head.short[this.cut.name[bar]], ...this.telling.barLines(this.cut, bar).slice(0, 2)];
  }

  /** What lies at a place of the picture: a bar, a gap, or null. */
  hit({ x, y }) {
    const track = y < AXIS ? null : trackAt(this.layout, y + this.top);
    if (track === null || track.kind === "caption") return null;
    const time = this.view.timeAt(x);
    const near = 3 / this.view.scale;
    if (track.kind === "lane") {
      const { cut } = this;
      const bar = nearest(cut, cut.lanes[track.lane], time, near);
      if (bar >= 0) return { lane: track.lane, start: cut.start[bar], name: cut.name[bar] };
      if (track.side !== "gpu") return null;
    }
    const list = this.byDevice.get(track.device);
    const place = list === undefined ? -1 : nearest(list, [0, list.start.length], time, near);
    return place < 0 ? null : { gap: list.number[place] };
  }

  /** The work that ended a gap. */
  workAfter(cut, gap) {
    const end = this.gaps.start[gap] + this.gaps.duration[gap];
    const { device } = this.head.devices[this.gaps.device[gap]];
    for (const track of this.layout.tracks) {
      if (track.side !== "gpu" || track.device !== device) continue;
      const [first, last] = cut.lanes[track.lane];
      const bar = lowerBound(cut.start, end, first, last);
      if (bar < last && cut.start[bar] === end) return bar;
    }
    return -1;
  }

  // --- search --------------------------------------------------------------------------------------

  look() {
    const p = this.parts;
    this.search.look(p.search.value, this.head, this.overview);
    const none = this.search.text !== "" && this.search.bars.length === 0;
    p.found.textContent = none ? this.head.words.not_found : "";
    if (this.search.bars.length > 0) this.countFound();
    for (const name of ["search-next", "search-previous"]) p[name].hidden = this.search.bars.length === 0;
    this.wake();
  }

  countFound() {
    const { at, bars } = this.search;
    this.parts.found.textContent = fill(this.head.words.found, { n: at < 0 ? "–" : at + 1, of: bars.length });
  }

  find(step) {
    const bar = this.search.step(step, this.overview, this.view);
    if (bar === null) return;
    this.countFound();
    const { overview } = this;
    const lane = laneOfBar(overview, bar);
    this.show(overview.start[bar], overview.duration[bar], 2 * BAR_ROOM);
    this.choose({ lane, start: overview.start[bar], name: overview.name[bar] });
    const track = this.layout.tracks.find(each => each.lane === lane);
    if (track.y < this.top + AXIS) this.scroll(track.y - AXIS - this.top);
    else if (track.y + track.height > this.top + this.height) this.scroll(track.y + track.height - this.top - this.height);
  }

  // --- who must know -------------------------------------------------------------------------------

  hasFocus() {
    return this.root.activeElement !== null && this.root.activeElement !== undefined;
  }

  /** Whether a key press is for the timeline. */
  ours(event) {
    if (this.parts.keys.open || this.head === undefined) return false;
    if (event.composedPath().includes(this.parts.timeline)) return true;
    return this.pointerIn && (document.activeElement === null || document.activeElement === document.body);
  }

  settled() {
    if (this.view.flight !== null) return;
    this.ask();
  }

  /** Tells the server what is chosen, and which stretch it should cut for this view. */
  ask() {
    const { view, overview, gaps, chosen } = this;
    if (this.report === undefined || chosen === undefined) return;
    const asked = { gap: chosen?.gap ?? null };
    if (overview.merged > 0) {
      if (this.cut === overview && this.seesMerged()) {
        const from = Math.max(0, Math.floor(view.start - view.width));
        this.wanted = [from, Math.min(Math.floor(view.span), Math.ceil(view.end + view.width))];
      }
      if (this.wanted !== undefined) asked.window = this.wanted;
    }
    const text = JSON.stringify(asked);
    const first = this.asked === "";
    if (text === this.asked) return;
    this.asked = text;
    // what is told at the beginning the server knows by itself
    if (first && asked.window === undefined && asked.gap === (this.head.first?.gap ?? null)) return;
    this.report(asked);
  }

  seesMerged() {
    const { overview, view } = this;
    for (const [first, end] of overview.lanes) {
      let at = Math.max(first, lowerBound(overview.start, view.start, first, end) - 1);
      for (; at < end && overview.start[at] < view.end; at++) {
        const seen = overview.duration[at] * view.scale >= SEEN_MERGED;
        if (seen && overview.count[at] > 1 && overview.start[at] + overview.duration[at] > view.start) return true;
      }
    }
    return false;
  }
}
