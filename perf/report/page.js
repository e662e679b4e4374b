// Makes the static page live: charts, tables, commands that copy, the choice of dark and light.
function button(label, text, action, name = "") {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  if (label) element.setAttribute("aria-label", label);
  if (name) element.className = name;
  element.addEventListener("click", action);
  return element;
}

function liveFigure(figure) {
  const svg = figure.querySelector(".chart");
  const canvas = figure.querySelector(".canvas");
  const chart = new Chart(svg);
  const bar = document.createElement("div");
  bar.className = "tools";
  const reset = button("", "Reset", () => gestures.changed(() => chart.reset()));
  bar.append(button("Zoom in", "+", () => gestures.changed(() => chart.zoom(0.7))),
             button("Zoom out", "−", () => gestures.changed(() => chart.zoom(1 / 0.7))), reset);
  figure.querySelector(".head").append(bar);
  const tools = {update: () => { reset.disabled = !chart.zoomed; }};
  const gestures = new Gestures(chart, canvas, tools);
  tools.update();
  switches(figure, chart, gestures);
  const fit = () => {
    const width = Math.round(canvas.clientWidth);
    if (width > 0 && width !== chart.width) {
      gestures.tip.hide();
      chart.layout(width);
    }
  };
  fit();
  new ResizeObserver(fit).observe(canvas);
}

// Names in the legend are switches; rules, which come after the series, are not.
function switches(figure, chart, gestures) {
  const items = [...figure.querySelectorAll(".legend li")].slice(0, chart.series.length);
  if (items.length < 2) return;
  items.forEach((item, index) => {
    const toggle = document.createElement("button");
    toggle.type = "button";
    toggle.title = "Show or hide";
    toggle.setAttribute("aria-pressed", "true");
    toggle.append(...item.childNodes);
    item.append(toggle);
    toggle.addEventListener("click", () => gestures.changed(() => {
      toggle.setAttribute("aria-pressed", String(chart.toggle(index)));
    }));
  });
}

function copyable(command) {
  const code = command.querySelector("code");
  const copy = button("Copy this command", "Copy", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      copy.textContent = "Copied";
    } catch {  // not allowed here: select it, so that the keyboard can
      getSelection().selectAllChildren(code);
      copy.textContent = "Selected";
    }
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  }, "copy");
  command.prepend(copy);
}

function themeButton() {
  const root = document.documentElement;
  const next = {"": "dark", dark: "light", light: ""};
  const name = {"": "as the system", dark: "dark", light: "light"};
  const show = (theme) => {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    choose.textContent = `Colours: ${name[theme]}`;
  };
  const choose = button("", "", () => show(next[root.dataset.theme || ""]), "theme");
  show("");
  document.querySelector("header h1").after(choose);
}

// A link to something inside folded parts unfolds them.
function unfold() {
  let place = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (!place) return;
  for (let part = place; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  place.scrollIntoView();
}
addEventListener("hashchange", unfold);

document.querySelectorAll("figure.plot").forEach(liveFigure);
document.querySelectorAll(".table table").forEach(sortableTable);
document.querySelectorAll(".command").forEach(copyable);
themeButton();
unfold();
