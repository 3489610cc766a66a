// The server's clock, seen from here. Deadlines are instants of the server's; nothing is counted.

const CLOCK_SAMPLES = 8;
const STEPPED_MS = 250;

class ServerClock {
  constructor() {
    this.samples = []; // server's instant less ours, at receipt: too small by the way it took
    this.last = null;
    this.anchor();
  }

  anchor() {
    this.base = Date.now() - performance.now();
  }

  /** The server said that it was `nowMs` when it wrote. */
  hear(nowMs) {
    if (nowMs === this.last) return; // the same data drawn again: it tells nothing new
    this.last = nowMs;
    if (this.stepped) {
      this.samples = [];
      this.anchor();
    }
    this.samples.push(nowMs - Date.now());
    if (this.samples.length > CLOCK_SAMPLES) this.samples.shift();
  }

  /** Whether this machine slept or its clock was set since the server was heard. */
  get stepped() {
    return Math.abs(Date.now() - performance.now() - this.base) > STEPPED_MS;
  }

  /** The server's instant now, in milliseconds since 1970: by the answer that came the quickest way. */
  get now() {
    return Date.now() + (this.samples.length ? Math.max(...this.samples) : 0);
  }
}

/** m:ss, rounded up: 0:01 until the very end. */
function minutesAndSeconds(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
