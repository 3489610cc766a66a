// The whole trace in a strip: how busy the GPU is, where the longest gaps are, and what is in view.

const MAP_HEIGHT = 34;
const MARKED = 12; // gaps marked in it

class OverviewMap {
  constructor(canvas, view, moved) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.view = view;
    this.picture = null;
    const to = event => {
      const box = canvas.getBoundingClientRect();
      const time = ((event.clientX - box.left) / box.width) * view.span;
      view.flight = null;
      view.show(time - view.width / 2, view.width);
      moved();
    };
    canvas.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      to(event);
    });
    canvas.addEventListener("pointermove", event => {
      if (canvas.hasPointerCapture(event.pointerId)) to(event);
    });
  }

  /** Drawn anew only when its size, the trace or the theme changes. */
  prepare(scene, width, ratio) {
    this.width = width;
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(MAP_HEIGHT * ratio);
    this.picture = document.createElement("canvas");
    this.picture.width = this.canvas.width;
    this.picture.height = this.canvas.height;
    const context = this.picture.getContext("2d", { alpha: false });
    const { colours, overview, head, gaps, span } = scene;
    context.scale(ratio, ratio);
    context.fillStyle = colours.shade;
    context.fillRect(0, 0, width, MAP_HEIGHT);
    const gpu = head.rows.some(row => row.side === "gpu");
    const busy = new Float64Array(Math.ceil(width));
    let lane = 0;
    for (const row of head.rows) {
      for (let depth = 0; depth < row.lanes; depth++, lane++) {
        if (gpu ? row.side !== "gpu" : depth > 0) continue;
        this.add(overview, overview.lanes[lane], busy, span / width);
      }
    }
    context.fillStyle = colours.dense[gpu ? "gpu" : "cpu"][LEVELS - 1];
    const tall = MAP_HEIGHT - 10;
    busy.forEach((share, x) => {
      const high = Math.min(1, share) * tall;
      context.fillRect(x, MAP_HEIGHT - 2 - high, 1, high);
    });
    context.fillStyle = colours.gap;
    for (let gap = 0; gap < gaps.start.length; gap++) {
      if (gaps.rank[gap] > MARKED) continue;
      const x = (gaps.start[gap] / span) * width;
      context.fillRect(x, 2, Math.max(2, (gaps.duration[gap] / span) * width), 4);
    }
  }

  /** What share of each pixel a lane's bars cover. */
  add(cut, [first, end], busy, pixel) {
    for (let bar = first; bar < end; bar++) {
      let from = cut.start[bar] / pixel;
      const to = from + cut.duration[bar] / pixel;
      while (from < to) {
        const column = Math.floor(from);
        const until = Math.min(to, column + 1);
        if (column >= 0 && column < busy.length) busy[column] += until - from;
        from = until;
      }
    }
  }

  paint(colours) {
    const { context, view } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const left = Math.max(0, (view.start / view.span) * this.width);
    const right = Math.min(this.width, (view.end / view.span) * this.width);
    context.fillStyle = alpha(colours.paper, 0.62);
    context.fillRect(0, 0, left, MAP_HEIGHT);
    context.fillRect(right, 0, this.width - right, MAP_HEIGHT);
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.strokeRect(left + 0.75, 0.75, Math.max(2, right - left - 1.5), MAP_HEIGHT - 1.5);
  }
}
