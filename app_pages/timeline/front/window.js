// The stretch of time in view, and how it moves: by hand at once, by keys and to a goal smoothly.

const NARROWEST_NS = 100;
const BESIDE = 0.5; // of the width, what may be seen beyond the ends
const FLIGHT_MS = 280;
const ZOOM_RATE = 2.6; // of the logarithm, a second
const PAN_RATE = 1.1; // of the width, a second
const RISE_MS = 90; // until a held key has its full effect, and until it has none
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

class TimeWindow {
  constructor() {
    this.span = 1;
    this.start = 0;
    this.width = 1;
    this.pixels = 1;
    this.flight = null;
    this.held = { zoom: 0, pan: 0 };
    this.speed = { zoom: 0, pan: 0 };
    this.anchor = null; // where zooming by keys happens, in pixels; null: the middle
  }

  get end() {
    return this.start + this.width;
  }

  get scale() {
    return this.pixels / this.width;
  }

  xOf(time) {
    return (time - this.start) * this.scale;
  }

  timeAt(x) {
    return this.start + x / this.scale;
  }

  show(start, width) {
    this.width = Math.min(Math.max(width, NARROWEST_NS), this.span * (1 + 2 * BESIDE));
    const beside = this.width * BESIDE;
    this.start = Math.min(Math.max(start, -beside), this.span + beside - this.width);
  }

  /** By hand: whatever was on its way ends here. */
  zoom(factor, x = this.pixels / 2) {
    this.flight = null;
    const time = this.timeAt(x);
    const width = Math.min(Math.max(this.width * factor, NARROWEST_NS), this.span * (1 + 2 * BESIDE));
    this.show(time - (x / this.pixels) * width, width);
  }

  pan(pixels) {
    this.flight = null;
    this.show(this.start + pixels / this.scale, this.width);
  }

  /** Goes there within a moment; at once for those who asked for little motion. */
  fly(start, width, now) {
    const before = { start: this.start, width: this.width };
    this.show(start, width);
    const goal = { start: this.start, width: this.width };
    if (STILL.matches) return;
    this.show(before.start, before.width);
    this.flight = { from: before, to: goal, begun: now };
  }

  /** What moves by itself moves on by `ms`. Says whether anything still does. */
  tick(now, ms) {
    if (this.flight !== null) {
      const share = Math.min(1, (now - this.flight.begun) / FLIGHT_MS);
      const eased = 1 - (1 - share) ** 3;
      const { from, to } = this.flight;
      const width = from.width * (to.width / from.width) ** eased;
      // both ends go at a pace that keeps what is common to both in view
      const range = to.width - from.width;
      const along = Math.abs(range) > 1e-6 * from.width ? (width - from.width) / range : eased;
      const start = from.start + (to.start - from.start) * along;
      this.show(start, width);
      if (share === 1) this.flight = null;
      return true;
    }
    let moving = false;
    for (const way of ["zoom", "pan"]) {
      const goal = this.held[way];
      const change = ms / RISE_MS;
      const speed = this.speed[way];
      this.speed[way] = goal > speed ? Math.min(goal, speed + change) : Math.max(goal, speed - change);
      moving ||= this.speed[way] !== 0 || goal !== 0;
    }
    if (this.speed.zoom !== 0) {
      this.zoom(Math.exp(-this.speed.zoom * ZOOM_RATE * (ms / 1000)), this.anchor ?? this.pixels / 2);
    }
    if (this.speed.pan !== 0) this.pan(this.speed.pan * PAN_RATE * (ms / 1000) * this.pixels);
    return moving;
  }

  letGo() {
    this.held = { zoom: 0, pan: 0 };
  }
}
