// Mouse, pen and fingers on the picture: drag pans, Shift and drag measures, two fingers or Ctrl and wheel zoom.

const CLICK = 5; // pixels that a pointer may stray and still click
const WHEEL_RATE = 0.0022;
const LINE = 16; // pixels of a wheel's "line"

/** `acts`: {view, moved, scroll, select, double, hover, leave, measure, focused}. Returns nothing to end: it dies
 * with the canvas. */
function watchPointer(canvas, acts) {
  const { view } = acts;
  const down = new Map();
  let strayed = 0;
  let measuring = null;
  const place = event => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", event => {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    canvas.focus({ preventScroll: true });
    canvas.dataset.pointed = ""; // a ring around the picture helps only those who came by keys
    canvas.setPointerCapture(event.pointerId);
    const at = place(event);
    down.set(event.pointerId, at);
    strayed = 0;
    if (event.shiftKey && down.size === 1) {
      const time = view.timeAt(at.x);
      measuring = { from: time, to: time };
    }
    view.flight = null;
  });
  canvas.addEventListener("pointermove", event => {
    const at = place(event);
    const before = down.get(event.pointerId);
    if (before === undefined) {
      acts.hover(at);
      return;
    }
    strayed += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    if (measuring !== null) {
      measuring.to = view.timeAt(at.x);
      acts.measure(strayed > CLICK ? measuring : null);
    } else if (down.size === 1) {
      if (strayed > CLICK) {
        view.pan(before.x - at.x);
        acts.scroll(before.y - at.y);
      }
    } else if (down.size === 2) {
      const other = [...down].find(([id]) => id !== event.pointerId)[1];
      const apart = Math.max(8, Math.abs(before.x - other.x));
      const nowApart = Math.max(8, Math.abs(at.x - other.x));
      view.zoom(apart / nowApart, (at.x + other.x) / 2);
      view.pan((before.x - at.x) / 2);
    }
    down.set(event.pointerId, at);
    acts.moved();
  });
  const up = event => {
    const at = down.get(event.pointerId);
    if (!down.delete(event.pointerId) || at === undefined) return;
    if (measuring !== null) {
      if (strayed <= CLICK) acts.measure(null);
      measuring = null;
    } else if (event.type === "pointerup" && strayed <= CLICK && down.size === 0) acts.select(at);
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => acts.leave());
  canvas.addEventListener("dblclick", event => acts.double(place(event)));
  canvas.addEventListener(
    "wheel",
    event => {
      const factor = event.deltaMode === 1 ? LINE : 1;
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        // a trackpad's pinch comes as a wheel with Ctrl, in small steps
        const rate = Math.abs(event.deltaY) < 40 ? 4 * WHEEL_RATE : WHEEL_RATE;
        view.zoom(Math.exp(event.deltaY * factor * rate), place(event).x);
      } else if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey) view.pan(sideways * factor);
      // without the focus the wheel is the page's
      else if (!acts.focused() || !acts.scroll(event.deltaY * factor)) return;
      event.preventDefault();
      acts.moved();
    },
    { passive: false },
  );
}
