// Shows how a job goes on and what it has found.
import {address, get, remove} from "./api.js";
import {button, h, sentence} from "./dom.js";
import {say} from "./texts.js";

const watchers = new Map();  // job id -> {progress, done}

export function on_job(data) { watchers.get(data.id)?.progress(data); }
export function on_done(data) { watchers.get(data.id)?.done(); }
// Events may have been missed while the server was not reachable.
export function ask_again() { for (const each of watchers.values()) each.done(); }

// Shows the job's progress in `place` until it ends. Returns the job as the server describes it.
export function finished(id, place) {
  const text = h("span", {role: "status"}, say("running"));
  const row = h("p", {class: "progress"}, h("span", {class: "spinner", "aria-hidden": "true"}), text,
                button(say("cancel"), () => remove(`jobs/${id}`)));
  place.replaceChildren(row);
  return new Promise((resolve, reject) => {
    const done = async () => {
      try {
        const job = await get(`jobs/${id}`);
        if (!job.done) return;
        watchers.delete(id);
        row.remove();
        resolve(job);
      } catch (error) {
        if (error.status === undefined) return;  // the server cannot be reached just now
        watchers.delete(id);
        reject(error);
      }
    };
    const progress = data => {
      text.textContent = say("running_for", {seconds: Math.floor(data.seconds)}) + (data.said ? " " + data.said : "");
    };
    watchers.set(id, {progress, done});
    done();  // it may have ended before we listened
  });
}

export function case_text(options) {
  return Object.entries(options ?? {}).map(([name, value]) => `${name} ${value}`).join(", ");
}

function line_button(where, go_to) {
  if (!where || !(where.line > 0)) return null;
  return button(say("line", {line: where.line}), () => go_to(where.line), {class: "link"});
}

function part_item(part, go_to) {
  const mark = {met: "✓", missed: "✗", not_reached: "–"}[part.outcome];
  const item = h("li", {class: part.outcome}, h("span", {class: "mark", "aria-hidden": "true"}, mark),
                 h("strong", {}, part.title), h("span", {class: "hidden"}, " " + say(part.outcome)));
  if (part.outcome !== "missed") return item;
  const on = case_text(part.case);
  item.append(h("p", {}, line_button(part.where, go_to), " ", sentence(part.sentence), on ? h("span", {class: "dim"}, ` (${on})`) : ""));
  for (const each of [...(part.reasons ?? []), ...(part.more_errors ?? [])])
    item.append(h("p", {class: "reason"}, line_button(each.where, go_to), " ", sentence(each.sentence)));
  if (part.advice) item.append(h("p", {class: "advice"}, sentence(part.advice)));
  return item;
}

export function check_view(check, go_to) {
  const order = {missed: 0, met: 1, not_reached: 2};
  const parts = [...check.parts].sort((a, b) => order[a.outcome] - order[b.outcome]);
  const view = [h("p", {class: `verdict ${check.passed ? "pass" : "fail"}`}, say(check.passed ? "passed" : "not_yet")),
                h("ul", {class: "parts"}, parts.map(part => part_item(part, go_to)))];
  if (check.repair)
    view.push(h("p", {class: "reason"}, line_button({line: check.repair.line}, go_to), " ", sentence(check.repair.text)));
  for (const warning of check.warnings ?? []) view.push(h("p", {class: "dim"}, warning));
  if (check.printed) view.push(h("h3", {}, say("printed")), h("pre", {tabindex: "0"}, check.printed));
  return view;
}

// The text of a run, and a page with its pictures.
export function run_view(job) {
  const view = [];
  if (job.stopped) view.push(h("p", {class: "verdict fail"}, job.stopped));
  const notes = job.errors.split("\n").filter(line => line && !line.includes("cudalab-page.html")).join("\n");
  const output = job.output.split("\n").filter(line => !line.includes("cudalab-page.html")).join("\n").trim();
  if (notes) view.push(h("pre", {class: "complaint", tabindex: "0"}, notes));
  if (output) view.push(h("pre", {class: "output", tabindex: "0"}, output));
  return view;
}

// A result page runs in a sandbox of the browser: it cannot reach the workbook.
export function page_view(job, is_open = false) {
  if (!job.page) return [];
  const frame = () => h("iframe", {src: address(`page/${job.id}`), sandbox: "allow-scripts", title: say("details")});
  const box = h("details", {class: "page", ontoggle: () => {
    if (box.open && !box.querySelector("iframe")) box.append(frame());
  }}, h("summary", {}, say("details")),
      h("p", {class: "links"}, h("a", {href: address(`page/${job.id}`), target: "_blank", rel: "noopener"}, say("own_tab")), " ",
        h("a", {href: address(`page/${job.id}`, {save: 1}), download: "cudalab-result.html"}, say("save_page"))));
  box.open = is_open;
  return [box];
}
