// Finds bars by name: work of the GPU first, the CPU's where the GPU has none of that name.

class Search {
  constructor() {
    this.text = "";
    this.names = null; // 1 for each name that matches
    this.bars = [];
    this.at = -1;
  }

  /** `head` has the names, `cut` the bars. */
  look(text, head, cut) {
    this.text = text.trim().toLowerCase();
    this.names = null;
    this.bars = [];
    this.at = -1;
    if (this.text === "") return;
    this.names = Uint8Array.from(head.names, name => (name.toLowerCase().includes(this.text) ? 1 : 0));
    const sides = { gpu: [], cpu: [] };
    let lane = 0;
    for (const row of head.rows) {
      for (let depth = 0; depth < row.lanes; depth++, lane++) {
        const [first, end] = cut.lanes[lane];
        for (let bar = first; bar < end; bar++) if (this.names[cut.name[bar]]) sides[row.side].push(bar);
      }
    }
    this.bars = sides.gpu.length > 0 ? sides.gpu : sides.cpu;
    this.bars.sort((one, other) => cut.start[one] - cut.start[other]);
  }

  /** The next one found, or the one before; the first from the middle of what is in view on. */
  step(by, cut, view) {
    const { length } = this.bars;
    if (length === 0) return null;
    if (this.at < 0) {
      const from = view.start;
      const next = this.bars.findIndex(bar => cut.start[bar] >= from);
      this.at = next < 0 ? 0 : next;
    } else this.at = (this.at + by + length) % length;
    return this.bars[this.at];
  }
}
