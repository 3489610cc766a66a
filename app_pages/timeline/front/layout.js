// Where each row and lane lies: the thread that launches most just above the GPU's streams.

const AXIS = 24;
const CAPTION = 20;
const CPU_LANE = 17;
const GPU_LANE = 24;
const GAP_LANE = 18;
const BETWEEN = 8;

/** The tracks from above: {kind: caption | lane | gaps, y, height, …}, and the height of all. */
function layoutOf(head, words) {
  const tracks = [];
  let y = AXIS + 2;
  let lane = 0;
  const lanes = head.rows.map(row => {
    const first = lane;
    lane += row.lanes;
    return first;
  });
  const put = (kind, height, more) => {
    tracks.push({ kind, y, height, ...more });
    y += height;
  };
  const rows = head.rows.map((row, index) => ({ row, first: lanes[index] }));
  const oneProcess = new Set(head.rows.filter(row => row.side === "cpu").map(row => row.process)).size < 2;
  for (const { row, first } of rows.filter(each => each.row.side === "cpu").reverse()) {
    const name = fill(words[oneProcess ? "row.cpu" : "row.process"], row);
    put("caption", CAPTION, {
      text: row.launches ? `${name} · ${fill(words["row.launches"], { n: row.launches })}` : name,
    });
    for (let depth = 0; depth < row.lanes; depth++) put("lane", CPU_LANE, { lane: first + depth, side: "cpu" });
    y += BETWEEN;
  }
  const gpuFrom = y;
  for (const { device } of head.devices) {
    put("caption", CAPTION, { text: fill(words["row.gaps"], { device }), device });
    put("gaps", GAP_LANE, { device });
    for (const { row, first } of rows.filter(each => each.row.side === "gpu" && each.row.device === device)) {
      put("caption", CAPTION, { text: fill(words["row.gpu"], row), device });
      for (let depth = 0; depth < row.lanes; depth++) {
        put("lane", GPU_LANE, { lane: first + depth, side: "gpu", device });
        y += 1;
      }
    }
    y += BETWEEN;
  }
  return { tracks, height: y, gpuFrom };
}

function trackAt(layout, y) {
  return layout.tracks.find(track => y >= track.y && y < track.y + track.height) ?? null;
}
