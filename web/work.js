// The right of the page: an exercise or a file with its editor, its commands and their results.
import {get, post} from "./api.js";
import {debug_view} from "./debug.js";
import {button, from_html, h, sentence} from "./dom.js";
import {HELP, editor_help, make_editor} from "./editor.js";
import {keep, kept} from "./kept.js";
import {marks_of_check} from "./marks.js";
import {options_form} from "./options.js";
import {case_text, check_view, finished, page_view, run_view} from "./result.js";
import {Source} from "./source.js";
import {say} from "./texts.js";
import {command_words, line_of, words_in} from "./words.js";

let source = null;  // the open one; null: none
let main_action = null;
const results = [];  // of runs in the playground, for comparisons: [{id, words}]

export function act() { main_action?.(); }
export async function files_changed() { await source?.refresh(); }
export async function save_all() { await source?.save().catch(() => {}); }

function failure(error) { return h("p", {class: "verdict fail"}, error.message); }

// The editor with its toolbar; `actions` are buttons. `has_breakpoints`: whether Debug stops at lines.
function pane(place, path, head, actions, has_breakpoints = false) {
  const result = h("div", {class: "result", "aria-live": "polite"});
  const on_breakpoints = lines => {
    keep("breakpoints", path, lines.length > 0 ? lines : null);
    result.querySelector(".debug")?.show_breakpoints?.();
  };
  const editor = make_editor(`${say("editor")}: ${path}`, () => own.edited(), has_breakpoints ? on_breakpoints : null);
  const own = source = new Source(path, editor);
  place.replaceChildren(...head, h("p", {class: "file"}, path, " ", h("span", {class: "dim", id: HELP}, editor_help(has_breakpoints))),
                        own.notice, editor.element, h("div", {class: "toolbar", role: "toolbar", "aria-label": say("commands")}, actions), result);
  return {editor, result, own};
}

async function job_in(result, order) {
  const {id} = await post("jobs", order);
  return finished(id, result);
}

// ---- an exercise -----------------------------------------------------------------------------------------------------

export async function show_exercise(place, name, next_of) {
  const exercise = await get(`exercise/${name}`);
  if (exercise.state === "new") return show_new(place, exercise, next_of);
  const hints = h("div", {class: "hints", "aria-live": "polite"});
  const run_form = h("div", {class: "run-form"});
  const head = [h("h2", {}, exercise.title), h("div", {class: "task"}, exercise.task.map(text => from_html("p", {}, text)))];
  const buttons = [
    button(say("check"), () => check(), {class: "main", title: "Ctrl-Enter"}),
    exercise.kernel ? button(say("debug"), () => debug({case: failed_case, lines: editor.breakpoints})) : null,
    h("a", {class: "button plain", href: `#/file/${exercise.file}`}, say("run")),
    button(say("hint"), () => hint()), button(say("reset"), () => reset()), button(say("solution"), () => solution()),
  ];
  const {editor, result, own} = pane(place, exercise.file, head, buttons, exercise.kernel);
  result.before(hints, run_form);
  show_hints(hints, exercise);
  let failed_case = 1;  // of the last check, if its case is one of the exercise
  await own.open();
  editor.breakpoints = kept("breakpoints", exercise.file) ?? [];

  async function check() {
    try {
      await own.save();
      editor.mark([]);
      const job = await job_in(result, {kind: "check", exercise: name});
      if (!job.check) return result.replaceChildren(...run_view(job));
      editor.mark(marks_of_check(job.check, exercise.file));
      const failed = job.check.parts.find(part => part.outcome === "missed" && part.case);
      failed_case = Math.max(1, 1 + exercise.cases.indexOf(case_text(failed?.case)));
      result.replaceChildren(...check_view(job.check, line => editor.go_to(line)), ...after_pass(job.check), ...page_view(job));
    } catch (error) { result.replaceChildren(failure(error)); }
  }
  function after_pass(check) {
    const next = check.passed ? next_of(name) : null;
    return next ? [h("p", {}, h("a", {class: "button", href: `#/exercise/${next}`}, say("next_exercise", {name: next})))] : [];
  }
  // The request names the case and the warp, as debug_view() describes.
  async function debug(request) {
    try {
      await own.save();
      const source = editor.text;
      const job = await job_in(result, {kind: "debug", exercise: name, ...request});
      if (!job.trace) return result.replaceChildren(...run_view(job));
      const trace = await get(`trace/${job.id}`);
      const is_same = () => editor.text === source;
      if (trace.launch.breakpoints && is_same()) editor.breakpoints = trace.launch.breakpoints;  // moved to lines with code
      const breakpoints = {
        get lines() { return is_same() ? editor.breakpoints : trace.launch.breakpoints ?? []; },
        toggle(line) { if (is_same()) editor.toggle_breakpoint(line); },
      };
      const view = debug_view(trace, source, exercise.cases, request, breakpoints, debug);
      const has_hazard = trace.steps.some(step => step.hazards.length > 0);  // then the view says what the command says
      result.replaceChildren(...(has_hazard ? [] : run_view({...job, output: ""})), view);
      view.focus({preventScroll: true});
    } catch (error) { result.replaceChildren(failure(error)); }
  }
  async function hint() {
    try {
      const before = await get(`exercise/${name}`);
      if (before.hints < before.hints_of || before.program) return show_hints(hints, await post(`exercise/${name}/hint`));
      await own.save();
      const job = await job_in(result, {kind: "hint", exercise: name});
      result.replaceChildren(...run_view(job));
    } catch (error) { result.replaceChildren(failure(error)); }
  }
  async function reset() {
    if (!confirm(say("reset_question"))) return;
    try {
      await own.save();
      const {said} = await post(`exercise/${name}/reset`);
      await own.refresh();
      result.replaceChildren(h("p", {role: "status"}, said));
    } catch (error) { result.replaceChildren(failure(error)); }
  }
  async function solution() {
    const now = await get(`exercise/${name}`);
    const is_done = now.state === "passed" || now.state === "solution";
    if (!is_done && !confirm(say("give_up_question"))) return;
    const {text} = await post(`exercise/${name}/solution`, {give_up: !is_done});
    const shown = make_editor(say("solution"));
    shown.text = text;
    result.replaceChildren(h("h3", {}, say("solution")), shown.element);
  }
  main_action = check;
}

function show_new(place, exercise, next_of) {
  source = main_action = null;
  const start = async () => {
    await post(`exercise/${exercise.name}/start`);
    await show_exercise(place, exercise.name, next_of);
  };
  place.replaceChildren(h("h2", {}, exercise.title), h("div", {class: "task"}, exercise.task.map(text => from_html("p", {}, text))),
                        button(say("start"), start, {class: "main"}));
}

function show_hints(place, exercise) {
  if (exercise.hints_shown.length === 0) return place.replaceChildren();
  place.replaceChildren(h("h3", {}, say("hints")), h("ol", {}, exercise.hints_shown.map(text => from_html("li", {}, text))));
}

// ---- any file --------------------------------------------------------------------------------------------------------

export async function show_file(place, path) {
  const options = h("input", {type: "text", id: "options", spellcheck: "false", placeholder: "--kernel scale --grid 4 --block 256 --arg buf:f32:1000:iota"});
  options.value = kept("options", path) ?? "";
  const form = h("form", {class: "command", onsubmit: event => { event.preventDefault(); run(); }},
                 h("label", {for: "options"}, sentence(say("run_options"))), h("div", {class: "row"}, options, h("button", {type: "submit", class: "main", title: "Ctrl-Enter"}, say("run"))),
                 options_form("run", options));
  const compare = h("div", {class: "compare"});
  const {result, own} = pane(place, path, [h("h2", {class: "hidden"}, path)], []);
  result.before(form, compare);
  await own.open();
  show_compare();

  async function run() {
    try {
      await own.save();
      keep("options", path, options.value);
      const words = words_in(options.value);
      const job = await job_in(result, {kind: "run", file: path, words});
      result.replaceChildren(...run_view(job), ...lines_to_use(job.output), ...page_view(job, true));
      if (job.document) results.unshift({id: job.id, words: [path, ...words]});
      results.splice(8);
      show_compare();
    } catch (error) { result.replaceChildren(failure(error)); }
  }
  // Without --kernel, `cudalab run` lists the kernels, each with a line that runs it.
  function lines_to_use(output) {
    const lines = output.split("\n").map(line => command_words(line.trim())).filter(words => words?.[0] === "run" && words[1] === path);
    return lines.map(([, , ...words]) => h("p", {class: "row"}, h("code", {}, line_of(words)), button(say("use_options"), () => {
      options.value = line_of(words);
      options.dispatchEvent(new Event("input"));
      options.focus();
    })));
  }
  function show_compare() {
    if (results.length < 2) return compare.replaceChildren();
    const choice = (id, chosen) => h("select", {id}, results.map((each, i) => h("option", {value: each.id, selected: i === chosen}, name_of(each))));
    const before = choice("before", 1), after = choice("after", 0);
    const go = async () => {
      try {
        const job = await job_in(result, {kind: "compare", before: Number(before.value), after: Number(after.value)});
        result.replaceChildren(...run_view(job), ...page_view(job, true));
      } catch (error) { result.replaceChildren(failure(error)); }
    };
    compare.replaceChildren(h("label", {for: "before"}, say("before")), before, h("label", {for: "after"}, say("after")), after, button(say("compare"), go));
  }
  main_action = run;
}

// The number of a run, and the words that not all runs have.
function name_of(run) {
  const own = run.words.filter(word => !results.every(other => other.words.includes(word)));
  return `${run.id}: ${line_of(own.length > 0 ? own : run.words)}`;
}

export function show_nothing(place) {
  source = main_action = null;
  place.replaceChildren(h("p", {class: "dim"}, say("choose_exercise")));
}
