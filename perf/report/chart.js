// A chart laid out for the width it has, with a window (`low` to `high` of each axis) that zooms.
const NAMESPACE = "http://www.w3.org/2000/svg";
const LAYOUT = $layout;

function setAttributes(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
}

function svgElement(name, attributes, text) {
  const element = document.createElementNS(NAMESPACE, name);
  setAttributes(element, attributes);
  if (text !== undefined) element.textContent = text;
  return element;
}

class Axis {
  constructor(svg, name) {
    const data = (key) => svg.getAttribute(`data-${name}-${key}`);
    this.scale = data("scale");
    this.unit = data("unit") || "";
    this.label = data("label");
    this.names = data("names") ? JSON.parse(data("names")) : null;
    this.home = [Number(data("low")), Number(data("high"))];
    [this.low, this.high] = this.home;
  }

  get zooms() { return this.names === null; }
  get zoomed() { return this.low !== this.home[0] || this.high !== this.home[1]; }
  u(value) { return FORWARD[this.scale](value); }
  range(start, end) { this.start = start; this.end = end; }
  at(value) {
    const part = (this.u(value) - this.low) / (this.high - this.low);
    return this.start + part * (this.end - this.start);
  }
  inverse(pixel) {
    return this.low + (pixel - this.start) / (this.end - this.start) * (this.high - this.low);
  }
  holds(value) { const u = this.u(value); return u >= this.low && u <= this.high; }

  // A window that is neither wider than the data nor too narrow for numbers to differ.
  set(low, high) {
    if (!this.zooms || !(high > low)) return;
    const [homeLow, homeHigh] = this.home;
    const least = (homeHigh - homeLow) / 1e4;
    const width = Math.min(Math.max(high - low, least), homeHigh - homeLow);
    low = Math.min(Math.max((low + high - width) / 2, homeLow), homeHigh - width);
    [this.low, this.high] = [low, low + width];
  }
  zoom(factor, pixel) {
    const u = this.inverse(pixel);
    this.set(u - (u - this.low) * factor, u + (this.high - u) * factor);
  }
  pan(pixels) {
    const by = pixels / (this.end - this.start) * (this.high - this.low);
    this.set(this.low - by, this.high - by);
  }
  reset() { [this.low, this.high] = this.home; }
}

class Chart {
  constructor(svg) {
    this.svg = svg;
    this.kind = svg.dataset.kind;
    this.x = new Axis(svg, "x");
    this.y = new Axis(svg, "y");
    this.axes = svg.querySelector(".axes");
    this.plane = svg.querySelector(".plane");
    this.clip = svg.querySelector("clipPath rect");
    this.series = [...svg.querySelectorAll(".series")].map((group) => ({
      group, shown: true,
      line: group.querySelector(".line"),
      whiskers: [...group.querySelectorAll(".whisker")],
      marks: [...group.querySelectorAll(".mark")].map((element) => ({
        element, x: Number(element.dataset.x), y: Number(element.dataset.y),
        low: element.dataset.low, high: element.dataset.high,
      })),
    }));
    this.rules = [...svg.querySelectorAll(".rule")];
    this.marks = this.series.flatMap((s) => s.marks);
  }

  get zoomed() { return this.x.zoomed || this.y.zoomed; }

  layout(width = this.width) {
    const {row, left, right, top, bottom, letter} = LAYOUT;
    this.width = width;
    this.height = Number(this.svg.dataset.height);
    this.stacked = false;
    this.left = left;
    if (this.y.names) {
      const longest = Math.max(...this.y.names.map((n) => n.length)) * letter + 14;
      this.stacked = longest > 0.42 * width;
      this.left = this.stacked ? 14 : longest;
      this.height = top + bottom + this.y.names.length * (this.stacked ? row + 16 : row);
    } else if (width < 480) {
      this.height = 300;
    }
    this.right = width - right;
    this.top = top;
    this.bottom = this.height - bottom;
    this.x.range(this.left, this.right);
    this.y.range(...(this.y.names ? [this.top, this.bottom] : [this.bottom, this.top]));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    const plane = (more) => ({x: this.left - more, y: this.top - more,
      width: this.right - this.left + 2 * more, height: this.bottom - this.top + 2 * more});
    setAttributes(this.plane, plane(0));
    setAttributes(this.clip, plane(LAYOUT.mark));
    this.draw();
  }

  draw() {
    this.axes.replaceChildren(...this.horizontal(), ...this.vertical());
    this.drawRules();
    for (const {line, whiskers, marks, shown} of this.series) {
      const places = marks.map((mark) => [this.x.at(mark.x), this.y.at(mark.y)]);
      marks.forEach((mark, i) => {
        [mark.px, mark.py] = places[i];
        mark.inside = shown && this.x.holds(mark.x) && this.y.holds(mark.y);
        const place = `${mark.px.toFixed(1)} ${mark.py.toFixed(1)}`;
        mark.element.setAttribute("transform", `translate(${place})`);
      });
      line?.setAttribute("points", places.map((p) => p.map((v) => v.toFixed(1))).join(" "));
      const spread = marks.filter((mark) => mark.low !== undefined);
      whiskers.forEach((whisker, i) => whisker.setAttribute("d", this.whisker(spread[i])));
    }
  }

  drawRules() {
    for (const rule of this.rules) {
      const value = Number(rule.dataset.value);
      const place = rule.dataset.axis === "x"
        ? {x1: this.x.at(value), x2: this.x.at(value), y1: this.top, y2: this.bottom}
        : {x1: this.left, x2: this.right, y1: this.y.at(value), y2: this.y.at(value)};
      setAttributes(rule, place);
    }
  }

  whisker({px, py, low, high}) {
    return this.kind === "lines"
      ? `M${px},${this.y.at(Number(low))}V${this.y.at(Number(high))}`
      : `M${this.x.at(Number(low))},${py}H${this.x.at(Number(high))}`;
  }

  horizontal() {
    const most = Math.max(2, Math.trunc((this.right - this.left) / LAYOUT.across));
    const values = this.x.names ? this.x.names.map((_, i) => i)
      : ticks(this.x.scale, this.x.low, this.x.high, most);
    const texts = this.x.names || tickTexts(values, this.x.unit, this.x.scale);
    const parts = values.flatMap((value, i) => {
      const at = this.x.at(value).toFixed(1);
      const text = texts[i];
      return [svgElement("line", {class: "grid", x1: at, x2: at, y1: this.top, y2: this.bottom}),
              svgElement("text", {class: "tick", x: this.within(Number(at), text), y: this.bottom + 17,
                "text-anchor": "middle"}, text)];
    });
    const label = this.shortened(this.x.label, this.width);
    parts.push(svgElement("text", {class: "axis", x: this.within((this.left + this.right) / 2, label),
      y: this.bottom + 37, "text-anchor": "middle"}, label));
    return parts;
  }

  // The middle of a text, moved so that both its ends are in the chart.
  within(middle, text) {
    const half = text.length * LAYOUT.letter / 2 + LAYOUT.edge;
    return Math.max(half, Math.min(middle, this.width - half));
  }

  shortened(text, room) {
    const most = Math.trunc(room / LAYOUT.letter);
    const half = Math.trunc((most - 1) / 2);
    return text.length <= most ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
  }

  vertical() {
    if (this.y.names) {
      return this.y.names.flatMap((name, i) => {
        const at = this.y.at(i);
        const place = this.stacked ? {x: this.left, y: at - 9}
          : {x: this.left - 8, y: at + 4, "text-anchor": "end"};
        const text = this.stacked ? this.shortened(name, this.width - this.left) : name;
        return [svgElement("line", {class: "grid", x1: this.left, x2: this.right, y1: at, y2: at}),
                svgElement("text", {class: "tick", ...place}, text)];
      });
    }
    const most = Math.max(2, Math.trunc((this.bottom - this.top) / LAYOUT.down));
    const values = ticks(this.y.scale, this.y.low, this.y.high, most);
    const texts = tickTexts(values, this.y.unit, this.y.scale);
    return values.flatMap((value, i) => {
      const at = this.y.at(value).toFixed(1);
      return [svgElement("line", {class: "grid", x1: this.left, x2: this.right, y1: at, y2: at}),
              svgElement("text", {class: "tick", x: this.left - 7, y: Number(at) + 4,
                "text-anchor": "end"}, texts[i])];
    });
  }

  // Pixels of the screen to the chart's own, which differ when the page itself is scaled.
  point(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  nearest([x, y], within = 30) {
    let best = null, least = within * within;
    for (const mark of this.marks) {
      const distance = (mark.px - x) ** 2 + (mark.py - y) ** 2;
      if (mark.inside && distance < least) [best, least] = [mark, distance];
    }
    return best;
  }

  // Shows or hides a series; the axes stay, so that what is left can be compared.
  toggle(index) {
    const series = this.series[index];
    series.shown = !series.shown;
    series.group.toggleAttribute("hidden", !series.shown);
    this.draw();
    return series.shown;
  }

  zoom(factor, [x, y] = [(this.left + this.right) / 2, (this.top + this.bottom) / 2]) {
    this.x.zoom(factor, x);
    this.y.zoom(factor, y);
    this.draw();
  }
  select([x0, y0], [x1, y1]) {
    const window = (axis, a, b) => [axis.inverse(a), axis.inverse(b)].sort((p, q) => p - q);
    const [wx, wy] = [window(this.x, x0, x1), window(this.y, y0, y1)];
    this.x.set(...wx);
    this.y.set(...wy);
    this.draw();
  }
  pan(dx, dy) { this.x.pan(dx); this.y.pan(dy); this.draw(); }
  reset() { this.x.reset(); this.y.reset(); this.draw(); }
}
