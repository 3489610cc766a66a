// The picture and what is in view of it: drawn once a frame and only when something moved.

const LEAST_HEIGHT = 150;
const MOST_HEIGHT = 560;
const PHONE_HEIGHT = 400;
const GAP_ROOM = 6; // a gap is shown with so many times its length around it
const BAR_ROOM = 8;
const SETTLED_MS = 180;
const LAUNCH = /LaunchKernel|GraphLaunch|LaunchCooperativeKernel/;

class Viewing {
  constructor(root) {
    this.root = root;
    this.parts = Object.fromEntries([...root.querySelectorAll("[data-part]")].map(node => [node.dataset.part, node]));
    const p = this.parts;
    this.view = new TimeWindow();
    this.painter = new Painter(p.canvas);
    this.map = new OverviewMap(p.map, this.view, () => this.wake());
    this.search = new Search();
    this.id = null;
    this.top = 0;
    this.chosen = null;
    this.hovered = null;
    this.measure = null;
    this.detail = null;
    this.frame = 0;
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(p.stage);
    document.fonts.ready.then(() => this.wake());
  }

  close() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settling);
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
    for (const [place, { device }] of head.devices.entries()) {
      const number = Uint32Array.from({ length: head.gaps }, (_, gap) => gap).filter(gap => gaps.device[gap] === place);
      const duration = Float64Array.from(number, gap => gaps.duration[gap]);
      const covered = new Float64Array(number.length + 1);
      for (let at = 0; at < number.length; at++) covered[at + 1] = covered[at] + duration[at];
      this.byDevice.set(device, { number, start: Float64Array.from(number, gap => gaps.start[gap]), duration, covered });
    }
    this.view.span = Math.max(1, head.span);
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
    this.size = size;
    this.height = height;
    this.parts.canvas.style.height = `${height}px`;
    this.painter.resize(width, height, ratio);
    this.view.pixels = width;
    this.map.prepare(this.scene(), width, ratio);
    // the GPU's rows in view, and as much above them as there is room for
    if (!this.placed) this.top = Math.max(0, this.layout.height - height);
    this.placed = true;
    this.scroll(0);
    this.paint();
  }

  /** The bars that are drawn: those of the stretch that was cut for it where the view lies in there. */
  get cut() {
    const { detail, view } = this;
    if (detail === null) return this.overview;
    const within = Math.max(0, view.start) >= detail.from && Math.min(view.span, view.end) <= detail.to;
    return within ? detail : this.overview;
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
