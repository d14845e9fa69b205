// The editor: a text area above its coloured copy, with line numbers and marks of a check.
import {h} from "./dom.js";
import {highlighted} from "./highlight.js";
import {marks_by_line} from "./marks.js";

const INDENT = "    ";

export class Editor {
  // `on_change` is called with every edit.
  constructor(label, on_change) {
    this.area = h("textarea", {class: "source", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
                               wrap: "off", "aria-label": label, "aria-describedby": "editor-help",
                               oninput: () => { this.mark([]); this.draw(); on_change(); },
                               onkeydown: event => this.key(event), onscroll: () => this.scroll()});
    this.copy = h("pre", {class: "copy", "aria-hidden": "true"});
    this.gutter = h("div", {class: "gutter", "aria-hidden": "true"});
    this.element = h("div", {class: "editor"}, this.gutter, h("div", {class: "layers"}, this.copy, this.area));
    this.marks = new Map();
  }

  get text() { return this.area.value; }
  set text(text) {
    if (text === this.area.value) return;
    const {selectionStart, scrollTop, scrollLeft} = this.area;
    this.area.value = text;
    this.area.setSelectionRange(selectionStart, selectionStart);
    Object.assign(this.area, {scrollTop, scrollLeft});
    this.marks = new Map();
    this.draw();
  }

  mark(marks) {
    this.marks = marks_by_line(marks);
    this.draw_gutter();
  }

  go_to(line) {
    const lines = this.text.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
    this.area.scrollTop = Math.max(0, (line - 5) * this.line_height());
    this.scroll();
  }

  line_height() { return parseFloat(getComputedStyle(this.area).lineHeight); }

  // Tab indents. After Escape it leaves the editor, as everywhere else.
  key(event) {
    if (event.key === "Escape") this.tab_leaves = true;
    else if (event.key === "Tab" && !event.ctrlKey && !event.altKey && !event.shiftKey && !this.tab_leaves) {
      event.preventDefault();
      this.insert(INDENT);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      const before = this.text.slice(0, this.area.selectionStart);
      const indent = /[ \t]*$/.exec(before.slice(before.lastIndexOf("\n") + 1).match(/^[ \t]*/)[0])[0];
      event.preventDefault();
      this.insert("\n" + indent);
    } else if (event.key !== "Shift" && event.key !== "Tab") this.tab_leaves = false;
  }

  // execCommand keeps the browser's undo.
  insert(text) {
    if (!document.execCommand("insertText", false, text)) {
      this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
      this.area.dispatchEvent(new Event("input"));
    }
  }

  draw() {
    this.copy.replaceChildren(...highlighted(this.text).map(([kind, text]) => kind ? h("span", {class: kind}, text) : text), "\n");
    this.draw_gutter();
  }

  draw_gutter() {
    const count = this.text.split("\n").length;
    this.gutter.replaceChildren(...Array.from({length: count}, (_, i) => {
      const mark = this.marks.get(i + 1);
      return h("div", {class: mark ? (mark.is_error ? "bad" : "note") : null, title: mark?.texts.join("\n")}, String(i + 1));
    }));
    this.scroll();
  }

  scroll() {
    this.copy.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    this.gutter.scrollTop = this.area.scrollTop;
  }
}
