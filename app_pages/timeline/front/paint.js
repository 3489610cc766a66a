// Draws the tracks. Bars narrower than a pixel and a half are drawn by how much of each pixel they cover, found
// by search: a frame costs what its pixels cost, however many bars there are.

const OWN_BAR = 1.5; // pixels from which a bar is drawn by itself
const LABEL_FROM = 30;
const ARROWS_UP_TO = 60; // pieces of work in view; more arrows than that tell nothing

/** Rectangles by colour: changing the colour for each would cost more than drawing them. */
class Batch {
  constructor() {
    this.byStyle = new Map();
  }

  add(style, x, y, width, height) {
    let list = this.byStyle.get(style);
    if (list === undefined) this.byStyle.set(style, (list = []));
    list.push(x, y, width, height);
  }

  flush(context) {
    for (const [style, list] of this.byStyle) {
      if (list.length === 0) continue;
      context.fillStyle = style;
      for (let at = 0; at < list.length; at += 4) {
        context.fillRect(list[at], list[at + 1], list[at + 2], list[at + 3]);
      }
      list.length = 0;
    }
  }
}

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.batch = new Batch();
    this.labels = [];
  }

  resize(width, height, ratio) {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }

  /** `scene`: {view, top, layout, cut, head, gaps, byDevice, colours, launches, found, chosen, hover, measured}. */
  paint(scene) {
    const { context } = this;
    const { colours, layout } = scene;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, this.width, this.height);
    context.translate(0, -scene.top);
    this.worked = 0;
    this.marks = [];
    for (const track of layout.tracks) {
      if (track.y + track.height < scene.top || track.y > scene.top + this.height) continue;
      if (track.kind === "lane") this.lane(scene, track);
      else if (track.kind === "gaps") this.gapTrack(scene, track);
    }
    this.grid(scene);
    this.gapColumns(scene);
    this.batch.flush(context);
    this.writeLabels(scene);
    this.captions(scene);
    this.arrows(scene);
    this.outlines(scene);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.axis(scene);
    this.ruler(scene);
  }

  // --- bars ----------------------------------------------------------------------------------------

  lane(scene, track) {
    const { view, cut, colours, found } = scene;
    const { start, duration, name, kind, covered } = cut;
    const [first, end] = cut.lanes[track.lane];
    const { scale } = view;
    const pixel = 1 / scale;
    const stop = view.end;
    const gpu = track.side === "gpu";
    const dense = gpu ? colours.dense.gpu : colours.dense.cpu;
    const { batch } = this;
    const y = track.y + 1;
    const height = track.height - 2;
    let at = lowerBound(start, view.start, first, end);
    if (at > first && start[at - 1] + duration[at - 1] > view.start) at--;
    let runFrom = 0;
    let runTo = -1;
    let runStyle = "";
    while (at < end && start[at] < stop) {
      const x = (start[at] - view.start) * scale;
      const width = duration[at] * scale;
      if (width >= OWN_BAR) {
        if (gpu) this.worked++;
        const left = Math.max(-2, x);
        const right = Math.min(this.width + 2, x + width);
        const hit = found === null || found[name[at]];
        const style = hit
          ? found === null
            ? colours.of(kind[at], name[at], scene.launches[name[at]])
            : colours.accent
          : colours.dim;
        // bars that touch are told apart by a sliver of paper
        batch.add(style, left, y, right - left - (width > 4 ? 1 : 0), height);
        if (right - left > LABEL_FROM) this.labels.push(left, right, track, at, hit && found !== null ? 1 : 0);
        at++;
        continue;
      }
      const column = Math.floor(x);
      let next = gallop(start, view.start + (column + 1) * pixel, at + 1, end);
      if (next - 1 > at && duration[next - 1] * scale >= OWN_BAR) next--;
      const share = Math.min(1, (covered[next] - covered[at]) * scale);
      let style = dense[Math.min(LEVELS - 1, Math.floor(share * LEVELS))];
      if (found !== null) {
        let hit = false;
        for (let bar = at; bar < next && !hit; bar++) hit = found[name[bar]] === 1;
        style = hit ? colours.accent : colours.dim;
      }
      if (gpu) this.worked += next - at;
      if (style === runStyle && column === runTo) runTo = column + 1;
      else {
        if (runTo > runFrom) batch.add(runStyle, runFrom, y, runTo - runFrom, height);
        runFrom = column;
        runTo = column + 1;
        runStyle = style;
      }
      at = next;
    }
    if (runTo > runFrom) batch.add(runStyle, runFrom, y, runTo - runFrom, height);
  }

  writeLabels(scene) {
    const { context, labels } = this;
    const { colours, cut, head } = scene;
    context.font = colours.font;
    context.textBaseline = "middle";
    // measured each time: the font may have come only now
    const letter = context.measureText("mmmmmmmmmm").width / 10;
    let ink = "";
    for (let at = 0; at < labels.length; at += 5) {
      const [left, right, track, bar, found] = labels.slice(at, at + 5);
      const from = Math.max(left, 0) + 5;
      const room = Math.floor((Math.min(right, this.width) - from - 4) / letter);
      if (room < 3) continue;
      const many = cut.count[bar];
      const whole = many > 1 ? `×${many} ${head.short[cut.name[bar]]}` : head.short[cut.name[bar]];
      const text = whole.length > room ? `${whole.slice(0, room - 1)}…` : whole;
      const wanted = found ? colours.paper : colours.ink;
      if (wanted !== ink) context.fillStyle = ink = wanted;
      context.fillText(text, from, track.y + track.height / 2 + 0.5);
    }
    labels.length = 0;
  }

  // --- gaps ----------------------------------------------------------------------------------------

  gapTrack(scene, track) {
    const { view, gaps, byDevice, colours } = scene;
    const list = byDevice.get(track.device) ?? { start: [], duration: [], number: [], covered: [0] };
    const { scale } = view;
    const y = track.y + 2;
    const height = track.height - 4;
    const end = list.start.length;
    let at = lowerBound(list.start, view.start, 0, end);
    if (at > 0 && list.start[at - 1] + list.duration[at - 1] > view.start) at--;
    while (at < end && list.start[at] < view.end) {
      const x = (list.start[at] - view.start) * scale;
      const width = list.duration[at] * scale;
      if (width >= OWN_BAR) {
        const left = Math.max(-2, x);
        const right = Math.min(this.width + 2, x + width);
        const chosen = scene.chosen?.gap === list.number[at];
        this.batch.add(chosen ? colours.gap : alpha(colours.gap, 0.3), left, y, right - left, height);
        if (right - left > 44) this.marks.push({ left, right, track, gap: list.number[at], chosen });
        at++;
        continue;
      }
      const column = Math.floor(x);
      let next = gallop(list.start, view.start + (column + 1) / scale, at + 1, end);
      if (next - 1 > at && list.duration[next - 1] * scale >= OWN_BAR) next--;
      const share = Math.min(1, (list.covered[next] - list.covered[at]) * scale);
      this.batch.add(colours.dense.gap[Math.min(LEVELS - 1, Math.floor(share * LEVELS))], column, y, 1, height);
      at = next;
    }
  }

  /** The chosen gap stands out through all rows: straight above it is what the CPU did. */
  gapColumns(scene) {
    const { chosen, gaps, view, colours } = scene;
    if (chosen?.gap === undefined) return;
    const left = view.xOf(gaps.start[chosen.gap]);
    const width = Math.max(1, gaps.duration[chosen.gap] * view.scale);
    this.context.fillStyle = alpha(colours.gap, colours.dark ? 0.2 : 0.14);
    this.context.fillRect(left, scene.top + AXIS, width, this.height);
  }

  captions(scene) {
    const { context } = this;
    const { colours, layout, gaps, language, words } = scene;
    context.font = colours.small;
    context.textBaseline = "middle";
    for (const track of layout.tracks) {
      if (track.kind !== "caption" || track.y + track.height < scene.top) continue;
      if (track.y > scene.top + this.height) break;
      context.fillStyle = alpha(colours.ink, 0.72);
      context.fillText(track.text, 6, track.y + track.height / 2 + 2);
    }
    for (const { left, right, track, gap, chosen } of this.marks) {
      const whole = fill(words.gap, { duration: durationText(gaps.duration[gap], language) });
      const short = durationText(gaps.duration[gap], language);
      const room = Math.min(right, this.width) - Math.max(left, 0) - 8;
      const text = [whole, short].find(each => context.measureText(each).width <= room);
      if (text === undefined) continue;
      context.fillStyle = chosen ? colours.paper : colours.ink;
      const middle = (Math.max(left, 0) + Math.min(right, this.width)) / 2;
      context.textAlign = "center";
      context.fillText(text, middle, track.y + track.height / 2 + 0.5);
      context.textAlign = "left";
    }
  }

  // --- what is chosen ------------------------------------------------------------------------------

  outlines(scene) {
    const { context } = this;
    const { colours, view } = scene;
    for (const [mark, width] of [
      [scene.hover, 1],
      [scene.chosen, 2],
    ]) {
      const box = mark?.bar === undefined ? null : boxOf(scene, mark.bar);
      if (box === null) continue;
      context.strokeStyle = colours.ink;
      context.lineWidth = width;
      const left = Math.max(-4, view.xOf(box.start));
      const right = Math.min(this.width + 4, Math.max(view.xOf(box.end), left + 2));
      context.strokeRect(left, box.y + 0.5, right - left, box.height - 1);
    }
  }

  arrows(scene) {
    const { context } = this;
    const { cut, layout, view, colours } = scene;
    const arrow = (bar, strong) => {
      const from = cut.link[bar];
      if (from < 0) return;
      const above = trackOfBar(scene, from);
      const below = trackOfBar(scene, bar);
      if (above === null || below === null) return;
      const x0 = view.xOf(cut.start[from] + cut.duration[from] / 2);
      const x1 = view.xOf(cut.start[bar]);
      if (Math.max(x0, x1) < -200 || Math.min(x0, x1) > this.width + 200) return;
      const y0 = above.y + above.height - 1;
      const y1 = below.y + 1;
      context.strokeStyle = strong ? colours.ink : alpha(colours.ink, 0.3);
      context.fillStyle = context.strokeStyle;
      context.lineWidth = strong ? 1.5 : 1;
      const bend = Math.max(12, (y1 - y0) * 0.5);
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1 - 4);
      context.stroke();
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x1 - 3.5, y1 - 6);
      context.lineTo(x1 + 3.5, y1 - 6);
      context.fill();
    };
    if (this.worked > 0 && this.worked <= ARROWS_UP_TO) {
      for (const track of layout.tracks) {
        if (track.side !== "gpu") continue;
        const [first, end] = cut.lanes[track.lane];
        for (let bar = lowerBound(cut.start, view.start, first, end); bar < end && cut.start[bar] < view.end; bar++) {
          arrow(bar, false);
        }
      }
    }
    const chosen = scene.chosen?.work ?? scene.chosen?.bar;
    if (chosen !== undefined && chosen !== null && chosen >= 0) arrow(chosen, true);
  }

  // --- the axis ------------------------------------------------------------------------------------

  grid(scene) {
    const { context } = this;
    const { view, colours } = scene;
    const step = tickStep(110 / view.scale);
    context.fillStyle = alpha(colours.line, 0.6);
    for (let time = Math.ceil(view.start / step) * step; time < view.end; time += step) {
      context.fillRect(Math.round(view.xOf(time)), scene.top + AXIS, 1, this.height);
    }
    this.step = step;
  }

  axis(scene) {
    const { context, step } = this;
    const { view, colours, language } = scene;
    context.fillStyle = colours.shade;
    context.fillRect(0, 0, this.width, AXIS - 2);
    context.font = colours.small;
    context.textBaseline = "middle";
    context.fillStyle = alpha(colours.ink, 0.8);
    const largest = Math.max(Math.abs(view.start), Math.abs(view.end));
    for (let time = Math.ceil(view.start / step) * step; time < view.end; time += step) {
      const x = Math.round(view.xOf(time));
      context.fillRect(x, AXIS - 8, 1, 6);
      context.fillText(instantText(time, step, largest, language), x + 4, 11);
    }
  }

  ruler(scene) {
    const { measured, view, colours, language } = scene;
    if (measured === null) return;
    const { context } = this;
    const left = view.xOf(Math.min(measured.from, measured.to));
    const right = view.xOf(Math.max(measured.from, measured.to));
    context.fillStyle = alpha(colours.accent, 0.16);
    context.fillRect(left, AXIS, right - left, this.height);
    context.fillStyle = colours.accent;
    for (const x of [left, right]) context.fillRect(Math.round(x), 0, 1, this.height);
    const text = durationText(Math.abs(measured.to - measured.from), language);
    context.font = `600 ${colours.small}`;
    const room = context.measureText(text).width + 12;
    const middle = Math.min(Math.max((left + right) / 2, room / 2), this.width - room / 2);
    context.fillRect(middle - room / 2, 1, room, AXIS - 4);
    context.fillStyle = colours.paper;
    context.textAlign = "center";
    context.fillText(text, middle, 11);
    context.textAlign = "left";
  }
}

function laneOfBar(cut, bar) {
  return cut.lanes.findIndex(([first, end]) => bar >= first && bar < end);
}

function trackOfBar(scene, bar) {
  const lane = laneOfBar(scene.cut, bar);
  return scene.layout.tracks.find(track => track.lane === lane) ?? null;
}

function boxOf(scene, bar) {
  const track = trackOfBar(scene, bar);
  if (track === null) return null;
  const start = scene.cut.start[bar];
  return { start, end: start + scene.cut.duration[bar], y: track.y, height: track.height };
}
