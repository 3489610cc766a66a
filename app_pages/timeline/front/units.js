// Times in words, as app_pages/timeline/gap_words.py and app_pages/numbers.py write them.

const TIME_UNITS = [
  ["s", 1e9],
  ["ms", 1e6],
  ["µs", 1e3],
  ["ns", 1],
];
const SEPARATORS = { en: [",", "."], zh: [",", "."], vi: [".", ","] };

function grouped(text, language) {
  const [thousands, point] = SEPARATORS[language] ?? SEPARATORS.en;
  const [whole, part] = text.split(".");
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  return (part ? `${digits}${point}${part}` : digits).replace("-", "−");
}

/** With three digits: 408 µs, 62.3 ms. */
function durationText(ns, language) {
  const [sign, size] = TIME_UNITS.find(([, size]) => Math.abs(ns) >= 0.9995 * size) ?? TIME_UNITS[3];
  const value = ns / size;
  const whole = Number.isInteger(value);
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) * 1.000001)));
  const text = whole ? String(value) : value.toFixed(digits);
  return `${grouped(Math.abs(value) < 1 && !whole ? String(Number(text)) : text, language)}\u00a0${sign}`;
}

/** An instant, as exactly as `step` tells instants apart. */
function instantText(ns, step, largest, language) {
  const [sign, size] = TIME_UNITS.find(([, size]) => largest >= size) ?? TIME_UNITS[3];
  const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
  return `${grouped((ns / size).toFixed(Math.min(9, digits)), language)}\u00a0${sign}`;
}

/** An instant by itself: to the microsecond, to the nanosecond in the first millisecond. */
function whenText(ns, language) {
  const size = Math.abs(ns);
  return instantText(ns, size < 1e6 ? 1 : 1e3, size < 1e10 ? Math.min(size, 9e8) : size, language);
}

/** A step of 1, 2 or 5 times a power of ten, of at least `least`; never below a nanosecond. */
function tickStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return Math.max(1, power * ([1, 2, 5, 10].find(n => n * power >= least * 0.999) ?? 10));
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
