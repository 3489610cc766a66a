// The server's clock, seen from here. Deadlines are instants of the server's; nothing is counted.
//
// Each answer of the server bounds how far its clock is ahead of ours: it wrote its instant before we read it,
// and after we sent what it echoes. Where the bounds allow it, the clocks are taken to agree, as they do on one
// machine; else the bound that is nearest.

const STEPPED_MS = 250;

class ServerClock {
  constructor() {
    this.last = null;
    this.forget();
  }

  forget() {
    this.least = -Infinity;
    this.most = Infinity;
    this.base = Date.now() - performance.now();
  }

  /** The server said that it was `nowMs` when it wrote, after it had read what we sent at our `echoMs`. */
  hear(nowMs, echoMs) {
    if (nowMs === this.last) return; // the same data drawn again: it tells nothing new
    this.last = nowMs;
    if (this.stepped) this.forget();
    this.least = Math.max(this.least, nowMs - Date.now());
    if (echoMs !== null && echoMs <= Date.now()) this.most = Math.min(this.most, nowMs - echoMs);
    if (this.least > this.most) {
      // one of the clocks was set a little: only the newest answer counts
      this.least = nowMs - Date.now();
      this.most = echoMs === null ? Infinity : nowMs - echoMs;
    }
  }

  /** Whether this machine slept or its clock was set since the server was heard. */
  get stepped() {
    return Math.abs(Date.now() - performance.now() - this.base) > STEPPED_MS;
  }

  /** The server's instant now, in milliseconds since 1970. */
  get now() {
    return Date.now() + Math.min(Math.max(0, this.least), this.most);
  }
}

/** m:ss, rounded up: 0:01 until the very end. */
function minutesAndSeconds(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
