// Pointer, wheel and keyboard on a chart. Mouse: drag selects, Ctrl and wheel zooms (wheel alone in
// a chart that has the focus), double-click resets. Fingers: pinch zooms, one finger pans what is
// zoomed, a tap asks. Keys: arrows walk the points, + - 0 zoom, Enter pins, Escape closes.
class Gestures {
  constructor(chart, canvas, tools) {
    this.chart = chart;
    this.tip = new Tip(chart, canvas);
    this.tools = tools;
    this.pointers = new Map();
    const svg = chart.svg;
    svg.classList.add("live");
    svg.setAttribute("tabindex", "0");
    const on = (name, handler) => svg.addEventListener(name, handler.bind(this));
    on("pointerdown", this.down);
    on("pointermove", this.move);
    on("pointerup", this.up);
    on("pointercancel", this.up);
    on("pointerleave", () => { if (!this.tip.pinned) this.tip.hide(); });
    on("dblclick", () => this.changed(() => chart.reset()));
    on("keydown", this.key);
    svg.addEventListener("wheel", this.wheel.bind(this), {passive: false});
    svg.addEventListener("focusin", (event) => {
      const mark = chart.marks.find((m) => m.element === event.target);
      if (mark) this.tip.show(mark);
    });
    svg.addEventListener("focusout", () => { if (!this.tip.pinned) this.tip.hide(); });
  }

  changed(change) {
    this.tip.hide();
    change();
    this.tools.update();
  }

  down(event) {
    if (event.button !== 0) return;
    const at = this.chart.point(event);
    this.pointers.set(event.pointerId, {start: at, at, touch: event.pointerType === "touch"});
    if (event.pointerType !== "touch") this.chart.svg.setPointerCapture(event.pointerId);
    if (this.pointers.size === 2) this.spread = this.fingers().distance;
  }

  move(event) {
    const at = this.chart.point(event);
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) {
      if (this.tip.pinned) return;
      const mark = this.chart.nearest(at);
      if (mark) this.tip.show(mark); else this.tip.hide();
      return;
    }
    const before = pointer.at;
    pointer.at = at;
    if (this.pointers.size === 2) {
      const {distance, middle} = this.fingers();
      this.changed(() => this.chart.zoom(this.spread / distance, middle));
      this.spread = distance;
    } else if (pointer.touch) {
      const by = [at[0] - before[0], at[1] - before[1]];
      if (this.chart.zoomed) this.changed(() => this.chart.pan(...by));
    } else {
      this.tip.hide();
      this.drawBand(pointer);
    }
  }

  fingers() {
    const [[ax, ay], [bx, by]] = [...this.pointers.values()].map((p) => p.at);
    return {distance: Math.max(1, Math.hypot(ax - bx, ay - by)),
            middle: [(ax + bx) / 2, (ay + by) / 2]};
  }

  up(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    this.pointers.delete(event.pointerId);
    this.band?.remove();
    this.band = null;
    if (event.type === "pointercancel") return;
    const {start, at} = pointer;
    const far = Math.hypot(at[0] - start[0], at[1] - start[1]);
    if (far < 6) {
      const mark = this.chart.nearest(at);
      if (mark) this.tip.show(mark, true); else this.tip.hide();
    } else if (!pointer.touch && far > 12) {
      const {x, y, width, height} = this.area(pointer);
      this.changed(() => this.chart.select([x, y], [x + width, y + height]));
    }
  }

  // What a drag selects: a flat one takes the whole height, a narrow one the whole width.
  area({start, at}) {
    const {left, right, top, bottom, x, y} = this.chart;
    const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
    let [x0, x1] = [start[0], at[0]].map((v) => clamp(v, left, right)).sort((a, b) => a - b);
    let [y0, y1] = [start[1], at[1]].map((v) => clamp(v, top, bottom)).sort((a, b) => a - b);
    if (!x.zooms || x1 - x0 < 12) [x0, x1] = [left, right];
    if (!y.zooms || y1 - y0 < 12) [y0, y1] = [top, bottom];
    return {x: x0, y: y0, width: x1 - x0, height: y1 - y0};
  }

  drawBand(pointer) {
    if (!this.band) {
      this.band = svgElement("rect", {class: "band"});
      this.chart.svg.append(this.band);
    }
    setAttributes(this.band, this.area(pointer));
  }

  wheel(event) {
    const focused = this.chart.svg.contains(document.activeElement);
    if (!(event.ctrlKey || event.metaKey || focused)) return;
    // A chart that cannot be zoomed out further lets the page scroll.
    if (event.deltaY > 0 && !this.chart.zoomed && !event.ctrlKey) return;
    event.preventDefault();
    const at = this.chart.point(event);
    const turned = Math.max(-1, Math.min(1, event.deltaY / 240));
    this.changed(() => this.chart.zoom(Math.exp(turned), at));
  }

  key(event) {
    const zoom = {"+": 0.7, "=": 0.7, "-": 1 / 0.7}[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (zoom) this.changed(() => this.chart.zoom(zoom));
    else if (event.key === "0") this.changed(() => this.chart.reset());
    else if (event.key === "Escape") this.tip.hide();
    else if (event.key === "Enter") { if (this.tip.mark) this.tip.show(this.tip.mark, true); }
    else if (event.key.startsWith("Arrow")) this.walk(event.key);
    else return;
    event.preventDefault();
  }

  // Left and right along a series, up and down to the nearest point of another one.
  walk(key) {
    const all = this.chart.series.map((s) => s.marks.filter((m) => m.inside))
      .filter((marks) => marks.length);
    if (!all.length) return;
    const now = this.chart.marks.find((m) => m.element === document.activeElement);
    const of = Math.max(0, all.findIndex((marks) => marks.includes(now)));
    let next = all[0][0];
    if (now && (key === "ArrowLeft" || key === "ArrowRight")) {
      const at = all[of].indexOf(now) + (key === "ArrowRight" ? 1 : -1);
      next = all[of][Math.min(Math.max(at, 0), all[of].length - 1)];
    } else if (now) {
      const other = all[(of + (key === "ArrowDown" ? 1 : all.length - 1)) % all.length];
      const far = (m) => (m.px - now.px) ** 2 + 1e-3 * (m.py - now.py) ** 2;
      next = other.reduce((a, b) => far(b) < far(a) ? b : a);
    }
    next.element.focus();
  }
}
