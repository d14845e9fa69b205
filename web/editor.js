// The editor: CodeMirror, or a plain text area in a build without it. Both have an element, a text, breakpoints,
// toggle_breakpoint(), select(), focus() and mark().
import {codemirror} from "./codemirror.js";
import {h, sentence} from "./dom.js";
import {marks_by_line} from "./marks.js";
import {say} from "./texts.js";

export const HELP = "editor-help";  // the id of the sentence that says how to leave the editor with the keyboard

// `on_change` is called with every edit of the learner; without it the text is only shown. `on_breakpoints` is called
// with the lines when a breakpoint is set, removed or moved; without it there are none.
export function make_editor(label, on_change = null, on_breakpoints = null) {
  const editor = codemirror ? codemirror({label, described_by: on_change ? HELP : null, is_read_only: !on_change, on_change: on_change ?? (() => {}),
                                          on_breakpoints, say_breakpoint, render: sentence})
                            : text_area(label, on_change, on_breakpoints);
  const element = h("div", {class: "editor"}, editor.element);
  element.editor = editor;
  return {
    element,
    get text() { return editor.text; },
    set text(text) { editor.text = text; },
    // The lines with a breakpoint, in order.
    get breakpoints() { return editor.breakpoints; },
    set breakpoints(lines) { editor.breakpoints = lines; },
    toggle_breakpoint(line) { editor.toggle_breakpoint(line); },
    // [{line, text, is_error}]
    mark(marks) { editor.mark([...marks_by_line(marks)]); },
    go_to(line) {
      const lines = editor.text.split("\n");
      const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
      editor.select(start, start + (lines[line - 1] ?? "").length);
    },
  };
}

export function editor_help(has_breakpoints) {
  return [say(codemirror ? "editor_help" : "plain_editor"), has_breakpoints ? say(codemirror ? "breakpoint_help" : "plain_breakpoint_help") : ""].join(" ").trim();
}

// For a screen reader.
function say_breakpoint(line, is_set) { return say(is_set ? "breakpoint_set" : "breakpoint_removed", {line}); }

// The Tab key leaves a text area, as everywhere else on the page. The result lists what a mark would show, and Debug
// shows the breakpoints, which stay at their line numbers.
function text_area(label, on_change, on_breakpoints) {
  let breakpoints = [];
  const press = event => {
    if (event.key !== "F9" || !on_breakpoints) return;
    event.preventDefault();
    editor.toggle_breakpoint(area.value.slice(0, area.selectionStart).split("\n").length);
  };
  const area = h("textarea", {spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", readonly: !on_change,
                              "aria-label": label, "aria-describedby": on_change ? HELP : null, oninput: () => on_change?.(), onkeydown: press});
  const editor = {
    element: area,
    get text() { return area.value; },
    set text(text) {
      if (text === area.value) return;
      const {selectionStart, scrollTop, scrollLeft} = area;
      area.value = text;
      area.setSelectionRange(selectionStart, selectionStart);
      Object.assign(area, {scrollTop, scrollLeft});
    },
    get breakpoints() { return breakpoints; },
    set breakpoints(lines) { breakpoints = [...lines].sort((a, b) => a - b); },
    toggle_breakpoint(line) {
      editor.breakpoints = breakpoints.includes(line) ? breakpoints.filter(each => each !== line) : [...breakpoints, line];
      on_breakpoints?.(breakpoints);
    },
    focus() { area.focus(); },
    select(from, to) {
      area.focus();
      area.setSelectionRange(from, from);  // a browser scrolls to a change of the cursor
      area.setSelectionRange(from, to);
      area.scrollTop = Math.max(0, (area.value.slice(0, from).split("\n").length - 5) * parseFloat(getComputedStyle(area).lineHeight));
    },
    mark() {},
  };
  return editor;
}
