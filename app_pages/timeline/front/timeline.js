// The timeline: what is in view, what is chosen, and who must know of it.

const LEAST_HEIGHT = 220;
const MOST_HEIGHT = 560;
const PHONE_HEIGHT = 400;
const GAP_ROOM = 6; // a gap is shown with so many times its length around it
const BAR_ROOM = 8;
const SETTLED_MS = 180;
const SEEN_MERGED = 3; // pixels from which one sees that a bar stands for many
const LAUNCH = /LaunchKernel|GraphLaunch|LaunchCooperativeKernel/;

class Timeline {
  constructor(root) {
    this.root = root;
    this.parts = Object.fromEntries([...root.querySelectorAll("[data-part]")].map(node => [node.dataset.part, node]));
    const p = this.parts;
    this.view = new TimeWindow();
    this.painter = new Painter(p.canvas);
    this.map = new OverviewMap(p.map, this.view, () => this.wake());
    this.search = new Search();
    this.telling = new Telling(p, gap => this.chooseGap(gap));
    this.id = null;
    this.top = 0;
    this.chosen = null;
    this.hovered = null;
    this.measure = null;
    this.detail = null;
    this.asked = "";
    this.frame = 0;
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
      ours: event => this.ours(event),
      typing: event => event.composedPath()[0]?.localName === "input" && event.key !== "Escape",
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
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(p.stage);
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
    this.endKeys();
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settling);
    clearTimeout(this.reporting);
  }

  // --- what the server says ------------------------------------------------------------------------

  receive(bytes, report) {
    this.report = report;
    const { head, body } = headOf(bytes);
    const at = name => [body + head.sections[name][0], head.sections[name][1]];
    const fresh = head.id !== this.id || head.language !== this.head?.language;
    const sentTo = head.first?.zoom && head.first.gap !== this.head?.first?.gap ? head.first.gap : null;
    this.head = head;
    if (fresh) {
      this.id = head.id;
      this.gaps = gapsOf(bytes, at("gaps")[0], head.gaps);
      this.overview = cutOf(bytes, at("overview")[0]);
      this.detail = null;
      this.arrange();
    }
    if (at("detail")[1] > 0) this.detail = cutOf(bytes, at("detail")[0]);
    this.colours = new Colours(this.parts.timeline, head.short);
    this.telling.receive(head, this.gaps, this.longest);
    if (fresh) this.begin();
    else if (sentTo !== null) this.chooseGap(sentTo);
    else if (this.chosen?.gap !== undefined) this.telling.gap(this.chosen.gap);
    this.size = null;
    this.resize();
  }

  /** What follows from the data alone. */
  arrange() {
    const { head, gaps } = this;
    for (const node of this.root.querySelectorAll("[data-word]")) node.textContent = head.words[node.dataset.word];
    for (const node of this.root.querySelectorAll("[data-label]")) {
      node.setAttribute("aria-label", head.words[node.dataset.label]);
      if (node.localName === "input") node.placeholder = head.words[node.dataset.label];
      else if (node.localName === "button") node.title = head.words[node.dataset.label];
    }
    this.parts.canvas.setAttribute("aria-label", head.words.label);
    this.layout = layoutOf(head, head.words);
    this.launches = Uint8Array.from(head.names, name => (LAUNCH.test(name) ? 1 : 0));
    this.longest = Uint32Array.from({ length: head.gaps }, (_, gap) => gap);
    this.longest.sort((one, other) => gaps.rank[one] - gaps.rank[other]);
    this.byDevice = new Map();
    for (const { device } of head.devices) {
      const number = Uint32Array.from({ length: head.gaps }, (_, gap) => gap).filter(gap => gaps.device[gap] === device);
      const duration = Float64Array.from(number, gap => gaps.duration[gap]);
      const covered = new Float64Array(number.length + 1);
      for (let at = 0; at < number.length; at++) covered[at + 1] = covered[at] + duration[at];
      this.byDevice.set(device, { number, start: Float64Array.from(number, gap => gaps.start[gap]), duration, covered });
    }
    this.view.span = Math.max(1, head.span);
  }

  begin() {
    this.chosen = null;
    this.measure = null;
    this.top = 0;
    this.whole(false);
    const { first } = this.head;
    this.parts["gap-next"].disabled = this.longest.length === 0;
    this.parts["gap-previous"].disabled = this.longest.length === 0;
    if (first === null) this.telling.nothing();
    else {
      this.chosen = { gap: first.gap };
      this.telling.gap(first.gap);
      if (first.zoom) this.show(this.gaps.start[first.gap], this.gaps.duration[first.gap], GAP_ROOM, false);
    }
  }

  // --- drawing -------------------------------------------------------------------------------------

  resize() {
    const width = this.parts.stage.clientWidth;
    if (width === 0 || this.head === undefined) return;
    const ratio = devicePixelRatio || 1;
    const most = width < 600 ? PHONE_HEIGHT : Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, innerHeight * 0.6));
    const height = Math.round(Math.max(LEAST_HEIGHT, Math.min(this.layout.height, most)));
    const size = `${width}x${height}@${ratio}`;
    if (size === this.size) return;
    const first = this.size === undefined || this.size === null;
    this.size = size;
    this.height = height;
    this.parts.canvas.style.height = `${height}px`;
    this.painter.resize(width, height, ratio);
    this.view.pixels = width;
    this.map.prepare(this.scene(), width, ratio);
    // the GPU's rows in view, and as much above them as there is room for
    if (first && this.top === 0) this.top = Math.max(0, this.layout.height - height);
    this.scroll(0);
    this.paint();
  }

  /** The bars that are drawn: those of the stretch that was cut for it where the view lies in there. */
  get cut() {
    const { detail, view } = this;
    return detail !== null && view.start >= detail.start && view.end <= detail.end ? detail : this.overview;
  }

  scene() {
    const { view, top, layout, head, gaps, byDevice, colours, launches, overview } = this;
    const cut = this.cut;
    const place = mark => {
      if (mark === null || mark === undefined) return null;
      if (mark.gap !== undefined) return { gap: mark.gap, work: this.workAfter(cut, mark.gap) };
      return { bar: barOf(cut, mark) };
    };
    return {
      view, top, layout, head, gaps, byDevice, colours, launches, overview, cut,
      words: head.words,
      language: head.language,
      span: view.span,
      found: this.search.names,
      chosen: place(this.chosen),
      hover: place(this.hovered),
      measured: this.measure,
    };
  }

  wake() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(now => this.next(now));
  }

  next(now) {
    this.frame = 0;
    const ms = Math.min(50, now - (this.last ?? now - 16));
    const moving = this.view.tick(now, ms);
    this.last = moving ? now : undefined;
    this.paint();
    if (moving) this.wake();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settled(), SETTLED_MS);
  }

  paint() {
    if (this.head === undefined || !this.painter.width) return;
    this.painter.paint(this.scene());
    this.map.paint(this.colours);
  }

  // --- moving --------------------------------------------------------------------------------------

  scroll(pixels) {
    const before = this.top;
    this.top = Math.min(Math.max(0, this.top + pixels), Math.max(0, this.layout.height - this.height));
    if (this.top !== before) this.wake();
    return this.top !== before;
  }

  zoomBy(factor) {
    const width = this.view.width * factor;
    this.view.fly(this.view.start + (this.view.width - width) / 2, width, performance.now());
    this.wake();
  }

  whole(flying) {
    const { devices } = this.head;
    const start = Math.min(...devices.map(each => each.start));
    const end = Math.max(...devices.map(each => each.end));
    const [from, to] = devices.length ? [start, end] : [0, this.view.span];
    const room = Math.max(1, to - from) * 0.02;
    if (flying) this.view.fly(from - room, to - from + 2 * room, performance.now());
    else this.view.show(from - room, to - from + 2 * room);
    this.wake();
  }

  show(start, length, room, flying = true) {
    const width = Math.max(length, NARROWEST_NS) * room;
    const from = start + length / 2 - width / 2;
    if (flying) this.view.fly(from, width, performance.now());
    else this.view.show(from, width);
    this.wake();
  }

  fit(mark) {
    if (mark === null) return;
    if (mark.gap !== undefined) this.show(this.gaps.start[mark.gap], this.gaps.duration[mark.gap], GAP_ROOM);
    else {
      const bar = barOf(this.cut, mark);
      if (bar >= 0) this.show(this.cut.start[bar], this.cut.duration[bar], BAR_ROOM);
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
    const track = this.layout.tracks.find(each => each.kind === "gaps" && each.device === this.gaps.device[gap]);
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
    for (const track of this.layout.tracks) {
      if (track.side !== "gpu" || track.device !== this.gaps.device[gap]) continue;
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

/** The bar of a mark in this cut: the same bar has another number in each. */
function barOf(cut, mark) {
  const [first, end] = cut.lanes[mark.lane];
  let bar = lowerBound(cut.start, mark.start, first, end);
  for (; bar < end && cut.start[bar] === mark.start; bar++) if (cut.name[bar] === mark.name) return bar;
  return -1;
}

/** The interval that holds `time`, or the nearest one within `near`; -1 where there is none. */
function nearest({ start, duration }, [first, end], time, near) {
  const after = lowerBound(start, time, first, end);
  let best = -1;
  let least = near;
  for (const at of [after - 1, after]) {
    if (at < first || at >= end) continue;
    const apart = Math.max(start[at] - time, time - start[at] - duration[at], 0);
    if (apart < least || (apart === 0 && best < 0)) {
      best = at;
      least = apart;
    }
  }
  return best;
}
