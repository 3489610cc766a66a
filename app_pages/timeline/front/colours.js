// Colours of bars by name, in both themes; texts on them keep their contrast.

const HUES = [172, 28, 214, 292, 350, 96, 48, 250, 12, 132];
const LEVELS = 6;
const DENSE = { gpu: 172, cpu: 214 };

class Colours {
  constructor(root, shorts) {
    const style = getComputedStyle(root);
    const of = name => style.getPropertyValue(name).trim();
    this.ink = of("--st-text-color");
    this.paper = of("--st-background-color");
    this.shade = of("--st-secondary-background-color");
    this.line = of("--st-border-color");
    this.gap = of("--st-orange-color");
    this.accent = of("--st-link-color");
    this.key = [this.ink, this.paper, this.gap, this.accent].join();
    this.dark = luminance(this.paper) < 0.4;
    this.font = `11px ${of("--st-code-font") || "monospace"}`;
    this.small = `12px ${of("--st-font") || "sans-serif"}`;
    this.hue = Uint8Array.from(shorts, name => hash(name) % HUES.length);
    this.gpu = HUES.map(hue => this.fill(hue, this.dark ? 38 : 52, this.dark ? 34 : 76));
    this.cpu = HUES.map(hue => this.fill(hue, this.dark ? 20 : 34, this.dark ? 28 : 85));
    this.call = this.dark ? "hsl(210 8% 34%)" : "hsl(40 9% 79%)";
    this.launch = this.dark ? "hsl(172 30% 30%)" : "hsl(172 30% 76%)";
    this.range = this.dark ? "hsl(210 6% 22%)" : "hsl(40 12% 91%)";
    this.copy = this.dark ? "hsl(48 40% 30%)" : "hsl(48 62% 74%)";
    this.dim = this.dark ? "hsl(210 5% 20%)" : "hsl(40 8% 93%)";
    this.dense = {
      gpu: this.levels(DENSE.gpu, this.dark ? 38 : 48, this.dark ? 46 : 46),
      cpu: this.levels(DENSE.cpu, this.dark ? 18 : 26, this.dark ? 46 : 58),
      gap: Array.from({ length: LEVELS }, (_, level) => alpha(this.gap, 0.25 + (0.65 * (level + 1)) / LEVELS)),
    };
  }

  fill(hue, saturation, lightness) {
    return `hsl(${hue} ${saturation}% ${lightness}%)`;
  }

  /** From hardly anything to all of a pixel covered. */
  levels(hue, saturation, lightness) {
    return Array.from(
      { length: LEVELS },
      (_, level) => `hsl(${hue} ${saturation}% ${lightness}% / ${(0.2 + (0.8 * (level + 1)) / LEVELS).toFixed(2)})`,
    );
  }

  of(kind, name, isLaunch) {
    if (kind === KERNEL) return this.gpu[this.hue[name]];
    if (kind < OPERATOR) return this.copy;
    if (kind === CALL) return isLaunch ? this.launch : this.call;
    return kind === RANGE ? this.range : this.cpu[this.hue[name]];
  }
}

function hash(text) {
  let value = 2166136261;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
  return value >>> 0;
}

function rgbOf(colour) {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(colour);
  if (hex) return hex.slice(1).map(part => parseInt(part, 16));
  return (colour.match(/[\d.]+/g) ?? [128, 128, 128]).slice(0, 3).map(Number);
}

function luminance(colour) {
  const [red, green, blue] = rgbOf(colour);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

function alpha(colour, share) {
  return `rgb(${rgbOf(colour).join(" ")} / ${share.toFixed(3)})`;
}
