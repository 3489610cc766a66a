// Reads what the server sends: see app_pages/timeline/payload.py and engine/measure/analyse/timeline_cut.py.

const BAR_PARTS = [
  ["start", Float64Array],
  ["duration", Float64Array],
  ["name", Uint32Array],
  ["link", Int32Array],
  ["count", Uint32Array],
  ["kind", Uint8Array],
];
const GAP_PARTS = [
  ["start", Float64Array],
  ["duration", Float64Array],
  ["rank", Uint32Array],
  ["device", Int32Array],
  ["operator", Int32Array],
  ["call", Int32Array],
];
const KERNEL = 0;
const OPERATOR = 3;
const CALL = 4;
const RANGE = 5;

/** The head of what was sent alone: its `id` says whether the rest is known already. */
function headOf(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { head, body: 4 + length };
}

function gapsOf(bytes, at, count) {
  return columns(bytes, at, count, GAP_PARTS).found;
}

/** The bars of a cut, with the time that they cover added up: how busy any stretch of a lane is. */
function cutOf(bytes, at) {
  const { head, body } = headOf(bytes.subarray(at));
  const { found } = columns(bytes, at + body, head.bars, BAR_PARTS);
  const covered = new Float64Array(head.bars + 1);
  for (let bar = 0; bar < head.bars; bar++) covered[bar + 1] = covered[bar] + found.duration[bar];
  return { ...found, covered, lanes: head.lanes, merged: head.merged, from: head.start, to: head.end };
}

function columns(bytes, at, count, parts) {
  const found = {};
  for (const [name, Kind] of parts) {
    const size = count * Kind.BYTES_PER_ELEMENT;
    // copied: what was received may begin anywhere, and numbers must begin at a multiple of their size
    found[name] = new Kind(bytes.slice(at, at + size).buffer);
    at += size + ((8 - (size % 8)) % 8);
  }
  return { found, at };
}

/** The first place from `low` up to `high` whose value is not below `value`. */
function lowerBound(values, value, low, high) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As above where the place is likely to be near `low`. */
function gallop(values, value, low, high) {
  let step = 1;
  let at = low;
  while (at < high && values[at] < value) {
    low = at + 1;
    at += step;
    step *= 2;
  }
  return lowerBound(values, value, low, Math.min(at, high));
}
