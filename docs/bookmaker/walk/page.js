// Shows frames that bookmaker/concepts/walks.py computed. DATA: points, nodes (boxes by number), radius, and
// for each order its queries and for each walk its frames {n: nodes of the lanes, l: outcome of each lane, s:
// stack, w: words, c: depths at which lanes rejoin, m: lanes of each entry of the stack}.
const KINDS = { o: "open", t: "take", s: "skip" };
const LANES = 16;
const by = (id) => document.getElementById(id);

function shape(parent, name, attributes, kind) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (kind) made.setAttribute("class", kind);
  parent.appendChild(made);
  return made;
}

const state = { step: 0, timer: 0 };
const queries = () => DATA.orders[by("order").value].queries;
const frames = () => DATA.orders[by("order").value].walks[by("walk").value];

// Nodes of a frame with the strongest outcome of its lanes: a node that any lane opens is open.
function outcomes(frame) {
  const found = new Map();
  [...frame.l].forEach((letter, lane) => {
    if (letter === ".") return;
    const node = frame.n[frame.n.length > 1 ? lane : 0];
    const before = found.get(node);
    if (!before || "sto".indexOf(letter) > "sto".indexOf(before)) found.set(node, letter);
  });
  return found;
}

function place(node) {
  const level = Math.floor(Math.log2(node));
  const wide = 640 / 2 ** level;
  return [wide * (node - 2 ** level + 0.5), 14 + 27 * level];
}

function drawTree() {
  const svg = by("tree");
  svg.replaceChildren();
  const seen = new Map();
  frames().slice(0, state.step + 1).forEach((f) => outcomes(f).forEach((o, n) => seen.set(n, o)));
  const now = outcomes(frames()[state.step]);
  const stacked = new Set(frames()[state.step].s);
  const numbers = Object.keys(DATA.nodes).map(Number);
  for (const node of numbers.filter((n) => n > 1)) {
    const [[x1, y1], [x2, y2]] = [place(node >> 1), place(node)];
    shape(svg, "line", { x1, y1, x2, y2 }, "edge");
  }
  for (const node of numbers) {
    const [cx, cy] = place(node);
    const kind = now.has(node) ? `${KINDS[now.get(node)]} now` :
      stacked.has(node) ? "stacked" : seen.has(node) ? "seen" : "";
    shape(svg, "circle", { cx, cy, r: node < 32 ? 8 : 4 }, `node ${kind}`);
    if (node < 32)
      shape(svg, "text", { x: cx, y: cy + 4, "text-anchor": "middle" }, kind && "filled").textContent = node;
  }
}

function box(svg, node, kind) {
  const [x0, y0, x1, y1] = DATA.nodes[node];
  shape(svg, "rect", { x: 400 * x0, y: 400 * (1 - y1), width: 400 * (x1 - x0), height: 400 * (y1 - y0) },
    `box ${kind}`);
}

function drawSpace() {
  const svg = by("space");
  const frame = frames()[state.step];
  svg.replaceChildren();
  shape(svg, "rect", { x: 0, y: 0, width: 400, height: 400 }, "ball");
  for (const node of frame.s) box(svg, node, "parked");
  outcomes(frame).forEach((outcome, node) => box(svg, node, KINDS[outcome]));
  for (const [x, y] of DATA.points)
    shape(svg, "circle", { cx: 400 * x, cy: 400 * (1 - y), r: 1.8 }, "point");
  queries().forEach(([x, y], lane) => {
    const at = { cx: 400 * x, cy: 400 * (1 - y) };
    shape(svg, "circle", { ...at, r: 400 * DATA.radius }, frame.l[lane] === "." ? "ball" : "ball on");
    shape(svg, "circle", { ...at, r: 3.2 }, "query");
  });
}

function drawStack() {
  const frame = frames()[state.step];
  const entries = frame.s.map((node, k) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("b"), { textContent: node }));
    if (frame.m) item.append(Object.assign(document.createElement("code"), { textContent: frame.m[k] }));
    return item;
  }).reverse();
  if (frame.c) {
    const item = document.createElement("li");
    item.textContent = "lanes rejoin at depth " + frame.c.map((c) => c ?? "–").join(" ");
    entries.unshift(item);
  }
  if (!frame.s.length) entries.push(Object.assign(document.createElement("li"), { textContent: "empty" }));
  by("stack").replaceChildren(...entries);
}

function drawLanes() {
  const svg = by("lanes");
  const all = frames();
  const wide = Math.max(640 / all.length, 1);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `-1 -1 642 ${12 * LANES + 2}`);
  all.slice(0, state.step + 1).forEach((frame, k) => [...frame.l].forEach((letter, lane) => {
    shape(svg, "rect", { x: wide * k, y: 12 * lane + 1, width: Math.max(wide - 0.5, 0.6), height: 10 },
      `cell ${KINDS[letter] ?? "waits"}`);
  }));
  shape(svg, "rect", { x: wide * state.step, y: 0, width: wide, height: 12 * LANES }, "cursor");
}

function show(step) {
  const all = frames();
  state.step = Math.min(Math.max(step, 0), all.length - 1);
  by("step").max = all.length - 1;
  by("step").value = state.step;
  const done = all.slice(0, state.step + 1);
  const busy = done.reduce((sum, f) => sum + [...f.l].filter((c) => c !== ".").length, 0);
  by("count").textContent = `step ${state.step + 1} of ${all.length}, ` +
    `${Math.round(100 * busy / (LANES * done.length))} % of the lanes at work`;
  by("words").textContent = all[state.step].w;
  drawTree();
  drawSpace();
  drawStack();
  drawLanes();
  if (state.step === all.length - 1) pause();
}

function pause() {
  clearInterval(state.timer);
  state.timer = 0;
  by("play").textContent = "play";
}

function play() {
  if (state.timer) return pause();
  if (state.step === frames().length - 1) show(0);
  state.timer = setInterval(() => show(state.step + 1), frames().length > 100 ? 150 : 500);
  by("play").textContent = "pause";
}

for (const [id, names] of [["order", Object.keys(DATA.orders)],
  ["walk", Object.keys(Object.values(DATA.orders)[0].walks)]]) {
  by(id).append(...names.map((name) => new Option(name)));
  by(id).addEventListener("change", () => { pause(); show(0); });
}
by("walk").value = "lockstep";
by("previous").addEventListener("click", () => { pause(); show(state.step - 1); });
by("next").addEventListener("click", () => { pause(); show(state.step + 1); });
by("play").addEventListener("click", play);
by("step").addEventListener("input", () => { pause(); show(Number(by("step").value)); });
by("choices").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (["SELECT", "INPUT", "BUTTON"].includes(document.activeElement.tagName)) return;
  const move = { ArrowLeft: () => { pause(); show(state.step - 1); },
    ArrowRight: () => { pause(); show(state.step + 1); }, " ": play }[event.key];
  if (move) { event.preventDefault(); move(); }
});
show(0);
