// Axes: the functions of scales.py again, for charts that are zoomed or laid out for another width.
const FORWARD = {linear: (v) => v, names: (v) => v, log: Math.log10, log2: Math.log2};
const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"],
                  [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
const SCALED = new Set($scaled);

function niceStep(span, most) {
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((m) => m * power >= rough * (1 - 1e-9)) * power;
}

function linearTicks(low, high, most) {
  const step = niceStep(high - low, most);
  const values = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= Math.floor(high / step + 1e-9); ++k)
    values.push(k * step);
  return values;
}

function oneTwoFive(low, high, first, last) {
  const values = [];
  for (let k = first; k <= last; ++k) {
    for (const m of [1, 2, 5]) {
      const u = Math.log10(m * 10 ** k);
      if (u >= low - 1e-9 && u <= high + 1e-9) values.push(m * 10 ** k);
    }
  }
  return values;
}

function ticks(scale, low, high, most) {
  if (scale === "linear") return linearTicks(low, high, most);
  const base = scale === "log" ? 10 : 2;
  const first = Math.ceil(low - 1e-9), last = Math.floor(high + 1e-9);
  const whole = last - first + 1;
  const some = scale === "log" ? oneTwoFive(low, high, first - 1, last) : [];
  if (whole < 2) {
    if (some.length > 2) return some;
    return linearTicks(base ** low, base ** high, most).filter((v) => v > 0);
  }
  if (scale === "log" && 3 * whole <= most) return some;
  const values = [];
  const step = Math.max(1, Math.ceil(whole / most));
  for (let k = first; k <= last; ++k) if (k % step === 0) values.push(base ** k);
  return values;
}

function superscript(n) {
  return String(n).replace(/[-0-9]/g, (c) => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]);
}

function shortNumber(value, least = 5) {
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
  if (Math.abs(magnitude) < least) return String(Number(value.toPrecision(4)));
  const mantissa = Number((value / 10 ** magnitude).toPrecision(3));
  const power = "10" + superscript(magnitude);
  return mantissa === 1 ? power : `${mantissa}·${power}`;
}

function binary(size) {
  const prefixes = [[2 ** 40, "Ti"], [2 ** 30, "Gi"], [2 ** 20, "Mi"], [2 ** 10, "Ki"], [1, ""]];
  const [by, prefix] = prefixes.find(([s]) => size >= s) || prefixes.at(-1);
  return `${Number((size / by).toPrecision(3))} ${prefix}B`;
}

function tickText(value, unit, scale) {
  if (unit === "iB") return binary(value);
  if (scale === "log2" && value >= 1024 && Number.isInteger(Math.log2(value)))
    return "2" + superscript(Math.log2(value));
  if (SCALED.has(unit) && value !== 0) {
    const [by, prefix] = PREFIXES.find(([s]) => Math.abs(value) >= s * 0.9995) || PREFIXES.at(-1);
    const short = unit.length < 5 ? unit : unit.slice(Math.max(0, unit.indexOf("/")));
    return `${shortNumber(value / by)} ${prefix}${short}`;
  }
  return shortNumber(value) + (unit === "×" || unit === "%" ? unit : "");
}

function tickTexts(values, unit, scale) {
  const texts = values.map((value) => tickText(value, unit, scale));
  const plain = values.every((value, i) => texts[i] === shortNumber(value));
  if (scale !== "log" || !plain || !texts.some((text) => /[⁰¹²³⁴⁵⁶⁷⁸⁹]$/.test(text))) return texts;
  return values.map((value) => shortNumber(value, 2));
}
