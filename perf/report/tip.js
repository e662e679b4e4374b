// What a chart says about the point under the pointer or with the focus: the point's title, and the
// command that measured it. Pinned by a click or Enter, it stays and can be copied from.
class Tip {
  constructor(chart, canvas) {
    this.chart = chart;
    this.box = document.createElement("div");
    this.box.className = "tip";
    this.box.id = `${canvas.parentElement.id}-tip`;
    this.box.hidden = true;
    canvas.append(this.box);
    // The browser's own tool tip would cover this one.
    for (const mark of chart.marks) {
      const title = mark.element.querySelector("title");
      mark.text = title.textContent;
      title.remove();
      mark.element.setAttribute("aria-label", mark.text.replaceAll("\n", "; "));
    }
  }

  show(mark, pinned = false) {
    if (this.mark !== mark || pinned) this.fill(mark, pinned);
    this.mark?.element.classList.remove("near");
    this.mark = mark;
    mark.element.classList.add("near");
    mark.element.setAttribute("aria-describedby", this.box.id);
    this.place();
  }

  fill(mark, pinned) {
    const paragraph = (text) => {
      const element = document.createElement("p");
      element.textContent = text;
      return element;
    };
    this.box.replaceChildren(...mark.text.split("\n").map(paragraph));
    const anchor = mark.element.dataset.document;
    const origin = document.getElementById(anchor);
    const published = mark.element.closest(".published") !== null;
    const command = mark.element.dataset.command
      || origin?.querySelector(".command code")?.textContent;
    if (command && !published) {
      const code = document.createElement("code");
      code.textContent = command;
      this.box.append(code);
    }
    if (pinned && origin) {
      const link = document.createElement("a");
      link.href = `#${anchor}`;
      link.textContent = "How it was measured";
      this.box.append(link);
    }
    this.box.toggleAttribute("data-pinned", pinned);
  }

  // Beside the point, on the side with more room, never outside the figure.
  place() {
    const {px, py} = this.mark;
    this.box.hidden = false;
    const scale = this.chart.svg.getBoundingClientRect().width / this.chart.width;
    const room = this.box.parentElement.clientWidth;
    const width = this.box.offsetWidth;
    const x = px * scale > room / 2 ? px * scale - width - 14 : px * scale + 14;
    this.box.style.left = `${Math.min(Math.max(x, 0), Math.max(0, room - width))}px`;
    this.box.style.top = `${py * scale + 14}px`;
  }

  get pinned() { return !this.box.hidden && this.box.hasAttribute("data-pinned"); }

  hide() {
    this.box.hidden = true;
    this.box.removeAttribute("data-pinned");
    this.mark?.element.classList.remove("near");
    this.mark?.element.removeAttribute("aria-describedby");
    this.mark = null;
  }
}
