// The page's editor, made of CodeMirror 6: CUDA in colours, line numbers, and marks at the lines that a check reports.
import {defaultKeymap, history, historyKeymap, indentWithTab} from "@codemirror/commands";
import {StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting} from "@codemirror/language";
import {cpp} from "@codemirror/legacy-modes/mode/clike";
import {diagnosticCount, forEachDiagnostic, lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics} from "@codemirror/lint";
import {Annotation, EditorState, RangeSet, StateEffect, StateField} from "@codemirror/state";
import {EditorView, GutterMarker, gutter, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers} from "@codemirror/view";
import {tagHighlighter, tags} from "@lezer/highlight";
import {StyleModule} from "style-mod";
import {is_cuda} from "../highlight.js";

// The page's policy forbids the <style> elements that CodeMirror would add. Style sheets made by a script are allowed.
const adopted = new Set();
StyleModule.mount = (root, modules) => {
  for (const module of [modules].flat().filter(each => !adopted.has(each))) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(module.getRules());
    document.adoptedStyleSheets.push(sheet);
    adopted.add(module);
  }
};

const cuda = StreamLanguage.define({...cpp, name: "cuda", tokenTable: {cuda: tags.special(tags.name)}, token(stream, state) {
  const style = cpp.token(stream, state);
  return style !== "comment" && style !== "string" && is_cuda(stream.current()) ? "cuda" : style;
}});

// The classes of workbook.css.
const colours = tagHighlighter([
  {tag: tags.keyword, class: "keyword"}, {tag: tags.typeName, class: "keyword"},
  {tag: tags.atom, class: "keyword"}, {tag: tags.comment, class: "comment"}, {tag: tags.string, class: "string"},
  {tag: tags.number, class: "number"}, {tag: tags.meta, class: "macro"}, {tag: tags.special(tags.name), class: "cuda"},
]);

const outside = Annotation.define();  // a change that is not the learner's

// A mark belongs to the text of its line, and goes when the learner changes that line.
const keep_marks = EditorState.transactionExtender.of(({docChanged, startState, changes}) => {
  if (!docChanged || diagnosticCount(startState) === 0) return null;
  const left = [];
  forEachDiagnostic(startState, (mark, from, to) => {
    const line = startState.doc.lineAt(from);
    if (!changes.touchesRange(line.from, line.to)) left.push({...mark, from: changes.mapPos(from), to: changes.mapPos(to)});
  });
  return setDiagnostics(startState, left);
});

// Breakpoints are markers at the beginnings of their lines, and move with them.
const dot = new class extends GutterMarker {
  toDOM() { return Object.assign(document.createElement("span"), {className: "breakpoint", textContent: "●"}); }
};
const set_breakpoints = StateEffect.define();  // their positions
const breakpoints = StateField.define({
  create: () => RangeSet.empty,
  update(now, {changes, effects}) {
    const asked = effects.findLast(each => each.is(set_breakpoints));
    return asked ? RangeSet.of(asked.value.map(at => dot.range(at))) : now.map(changes);
  },
});

function lines_of(state) {
  const lines = new Set(), {doc} = state;
  for (const at = state.field(breakpoints).iter(); at.value; at.next()) lines.add(doc.lineAt(at.from).number);
  return [...lines];
}

function effect_of(state, lines) {
  const known = [...new Set(lines)].filter(line => line >= 1 && line <= state.doc.lines).sort((a, b) => a - b);
  return set_breakpoints.of(known.map(line => state.doc.line(line).from));
}

// A breakpoint is set and removed by a click on a line's number, and by F9 at the line of the cursor.
function with_breakpoints(on_breakpoints, say_breakpoint) {
  const toggle = (view, line) => {
    const now = lines_of(view.state), is_set = !now.includes(line);
    view.dispatch({effects: [effect_of(view.state, is_set ? [...now, line] : now.filter(each => each !== line)),
                             EditorView.announce.of(say_breakpoint(line, is_set))]});
  };
  const domEventHandlers = {mousedown: (view, {from}) => (toggle(view, view.state.doc.lineAt(from).number), true)};
  const changed = ({state, startState}) => {
    const lines = lines_of(state);
    if (String(lines) !== String(lines_of(startState))) on_breakpoints(lines);
  };
  return {toggle, extensions: [
    breakpoints, gutter({class: "cm-breakpoints", markers: view => view.state.field(breakpoints), initialSpacer: () => dot, domEventHandlers}),
    lineNumbers({domEventHandlers}), EditorView.updateListener.of(changed),
    keymap.of([{key: "F9", run: view => (toggle(view, view.state.doc.lineAt(view.state.selection.main.head).number), true)}]),
  ]};
}

// A browser that types over a selection writes style attributes, which the page's policy forbids, too.
const typing = EditorView.domEventHandlers({beforeinput: (event, view) => {
  if (event.inputType !== "insertText" || event.data === null || view.state.selection.main.empty || view.state.readOnly) return false;
  view.dispatch(view.state.replaceSelection(event.data), {userEvent: "input.type", scrollIntoView: true});
  return true;
}});

// `render(text)`: the nodes of a mark's sentence. `on_breakpoints(lines)`: null if there are none. The first Tab after
// Escape leaves the editor; this is CodeMirror's own rule.
export function codemirror({label, described_by, is_read_only, on_change, on_breakpoints, say_breakpoint, render}) {
  const stops = on_breakpoints ? with_breakpoints(on_breakpoints, say_breakpoint) : {extensions: lineNumbers()};
  const changed = update => {
    if (update.transactions.some(each => each.docChanged && !each.annotation(outside))) on_change();
  };
  const view = new EditorView({extensions: [
    keymap.of([{key: "Mod-Enter", run: () => true},  // the page checks
               {key: "F8", run: nextDiagnostic}, {key: "Shift-F8", run: previousDiagnostic}, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    history(), stops.extensions, lintGutter(), highlightActiveLine(), highlightActiveLineGutter(), bracketMatching(), indentOnInput(),
    cuda, syntaxHighlighting(colours), indentUnit.of("    "), EditorState.tabSize.of(4), EditorState.readOnly.of(is_read_only),
    EditorView.contentAttributes.of({tabindex: "0", "aria-label": label, ...(described_by ? {"aria-describedby": described_by} : {})}),
    EditorView.updateListener.of(changed), keep_marks, typing,
  ]});
  return {
    element: view.dom,
    get text() { return view.state.doc.toString(); },
    // Replaces what differs, so that the cursor stays at its text.
    set text(text) {
      const old = this.text;
      if (old === text) return;
      let from = 0, same = 0;
      while (from < Math.min(old.length, text.length) && old[from] === text[from]) ++from;
      while (same < Math.min(old.length, text.length) - from && old.at(-1 - same) === text.at(-1 - same)) ++same;
      view.dispatch({changes: {from, to: old.length - same, insert: text.slice(from, text.length - same)}, annotations: outside.of(true)});
    },
    get breakpoints() { return on_breakpoints ? lines_of(view.state) : []; },
    set breakpoints(lines) { if (on_breakpoints) view.dispatch({effects: effect_of(view.state, lines)}); },
    toggle_breakpoint(line) { if (on_breakpoints && line <= view.state.doc.lines) stops.toggle(view, line); },
    focus() { view.focus(); },
    select(from, to) {
      view.dispatch({selection: {anchor: from, head: to}, effects: EditorView.scrollIntoView(from, {y: "center"})});
      view.focus();
    },
    // `marks`: [line, {texts, is_error}] pairs.
    mark(marks) {
      const {doc} = view.state;
      const found = marks.filter(([number]) => number <= doc.lines).map(([number, {texts, is_error}]) => {
        const line = doc.line(number), from = line.from + /^\s*/.exec(line.text)[0].length;
        return {from, to: line.to, severity: is_error ? "error" : "info", message: texts.join("\n"),
                renderMessage: () => {
                  const box = document.createElement("div");
                  box.append(...texts.flatMap(text => [...render(text), document.createElement("br")]).slice(0, -1));
                  return box;
                }};
      });
      view.dispatch(setDiagnostics(view.state, found.sort((a, b) => a.from - b.from)));
    },
  };
}
