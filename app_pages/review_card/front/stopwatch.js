// Time spent on the card in view: milliseconds by the monotonic clock, paused while the tab is hidden.

class Stopwatch {
  constructor() {
    this.restart(0);
  }

  restart(already) {
    this.sum = already;
    this.from = document.hidden ? null : performance.now();
  }

  pause() {
    if (this.from !== null) this.sum += performance.now() - this.from;
    this.from = null;
  }

  go() {
    if (this.from === null) this.from = performance.now();
  }

  get ms() {
    return Math.round(this.sum + (this.from === null ? 0 : performance.now() - this.from));
  }
}

/** Runs `then` once the next frame is painted; where nothing is painted (a hidden tab), after a moment. */
function afterPaint(then) {
  let due = true;
  const once = () => {
    if (due) then();
    due = false;
  };
  const painted = new MessageChannel();
  painted.port1.onmessage = once;
  requestAnimationFrame(() => painted.port2.postMessage(null));
  setTimeout(once, 100);
}
