// The recorded steps of one warp: the source with its current line, what the line did, and the variables of each lane.
import {button, h, sentence} from "./dom.js";
import {highlighted} from "./highlight.js";
import {say} from "./texts.js";
import {LANES, lanes_text, moments_of, nearest, variables_after} from "./trace.js";

const LINE_NUMBER_WIDTH = 40;  // pixels; workbook.css

// `source` is the text of the launch's file, `cases` the names of the exercise's cases. `breakpoints` are lines of the
// source: {lines, toggle(line)}. `ask(request)` debugs another warp: {case, block, warp}, {case, hazard: true}, or {case, lines},
// which finds the first warp that executes one of the lines. With `from: STEP` it shows more of the same warp. Starts at the
// first moment, at the first hazard, or at the first breakpoint.
export function debug_view(trace, source, cases, request, breakpoints, ask) {
  const moments = moments_of(trace);
  const lines = source_lines(source);
  const list = h("ol", {class: "listing", "aria-label": say("debug_source"), tabindex: "0"}, lines);
  const facts = h("p", {class: "facts", role: "status"});
  const details = h("ul", {class: "accesses", "aria-label": say("debug_requests")});
  const table = h("div", {class: "scroll lanes", tabindex: "0", role: "region", "aria-label": say("debug_variables")});
  const stops_here = moment => moment.line?.file === trace.launch.file && breakpoints.lines.includes(moment.line.line);
  const is_same_warp = request.warp === trace.warp && String(request.block) === String(trace.block);
  const from = is_same_warp ? request.from ?? 0 : 0;  // another warp is shown from its beginning
  const first_wanted = request.hazard ? moment => moment.hazards.length > 0
    : request.lines?.length > 0 ? moment => stops_here(moment) && trace.steps[moment.first].step >= from : () => true;
  let at = Math.max(0, moments.findIndex(first_wanted));

  const go = to => { at = to; show(); };
  const to_breakpoint = direction => {
    const lines = breakpoints.lines, found = nearest(moments, at, direction, stops_here);
    if (lines.length === 0) facts.replaceChildren(say("debug_no_breakpoints"));
    else if (found !== at) go(found);
    else if (direction > 0) ask({case: request.case, block: trace.block, warp: trace.warp, from: trace.steps.at(-1).step + 1, lines});
    else facts.replaceChildren(say("debug_no_breakpoint_before"));
  };
  const to_barrier = direction => {
    const found = nearest(moments, at, direction, moment => moment.barrier);
    if (found === at) facts.replaceChildren(say(direction > 0 ? "debug_no_barrier" : "debug_no_barrier_before"));
    else go(found);
  };
  const first = () => go(0), last = () => go(moments.length - 1);
  const back = () => go(Math.max(0, at - 1)), next = () => go(Math.min(moments.length - 1, at + 1));
  const keys = {ArrowRight: next, n: next, ArrowLeft: back, p: back, b: () => to_barrier(1), B: () => to_barrier(-1),
                c: () => to_breakpoint(1), C: () => to_breakpoint(-1), F9: () => breakpoints.toggle(moments[at].line?.line), 0: first, $: last,
                Home: first, End: last};
  const press = event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT") return;
    const scrolls = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
    if (!(event.key in keys) || (scrolls && table.contains(event.target))) return;
    event.preventDefault();
    keys[event.key]();
  };
  const view = h("section", {class: "debug", "aria-labelledby": "debug-title", "aria-live": "off", tabindex: "-1", onkeydown: press},
    h("h3", {id: "debug-title"}, sentence(say("debug_title", {kernel: trace.launch.kernel, block: trace.block.join(","), warp: trace.warp}))),
    warp_form(trace, cases, request.case, ask));
  if (moments.length === 0) {
    view.append(h("p", {}, say("debug_empty")));
    return view;
  }
  view.append(h("div", {class: "toolbar", role: "group", "aria-label": say("debug")},
                button(say("debug_first"), first), button(say("debug_back"), back), button(say("debug_next"), next, {class: "main"}),
                button(say("debug_breakpoint"), () => to_breakpoint(1)), button(say("debug_barrier"), () => to_barrier(1)), button(say("debug_last"), last)),
              facts, list, details, table, h("p", {class: "dim"}, say("debug_keys"), " ", sentence(say("debug_compiled"))));
  const end = trace.steps.at(-1).step + 1;
  if (!trace.ended) view.append(h("p", {}, button(say("debug_more", {number: end}), () => ask({case: request.case, block: trace.block, warp: trace.warp, from: end}))));
  list.addEventListener("click", event => {
    const line = 1 + lines.indexOf(event.target);  // the number of a line belongs to its item, the text is inside
    if (line > 0 && event.offsetX < LINE_NUMBER_WIDTH) breakpoints.toggle(line);
  });
  view.show_breakpoints = () => lines.forEach((line, i) => line.classList.toggle("stop", breakpoints.lines.includes(i + 1)));
  view.show_breakpoints();
  requestAnimationFrame(() => {  // when the section is on the page, which can scroll then
    show();
    view.scrollIntoView({block: "start"});
  });
  return view;

  function show() {
    const moment = moments[at], is_here = moment.line?.file === trace.launch.file;
    lines.forEach((line, i) => {
      const is_now = is_here && i + 1 === moment.line.line;
      line.classList.toggle("now", is_now);
      if (is_now) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    });
    const now = is_here ? lines[moment.line.line - 1] : null;
    if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
    facts.replaceChildren(facts_of(moment, at, moments.length, is_here, trace.ended && at + 1 === moments.length));
    details.replaceChildren(...details_of(moment, at + 1 === moments.length ? trace.stopped_by : null));
    const variables = variables_after(trace, moment);
    table.replaceChildren(variables.length === 0 ? h("p", {class: "dim"}, say("debug_no_variables")) : lane_table(variables, moment));
  }
}

function source_lines(source) {
  const lines = [[]];
  for (const [kind, text] of highlighted(source))
    text.split("\n").forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines.at(-1).push(kind ? h("span", {class: kind}, part) : part);
    });
  return lines.map(pieces => h("li", {}, h("code", {}, pieces)));
}

function facts_of(moment, at, count, is_here, is_end) {
  const where = moment.line ? (is_here ? say("line", {line: moment.line.line}) : `${moment.line.file}:${moment.line.line}`) : null;
  return [say("debug_moment", {number: at + 1, count}), where, say("debug_active", {lanes: lanes_text(moment.active)}),
          moment.reconverges ? say("debug_reconverges") : null, moment.diverges ? say("debug_diverges") : null,
          moment.barrier ? say("debug_at_barrier") : null,
          moment.waiting.length > 0 ? say("debug_waiting", {warps: moment.waiting.join(", ")}) : null,
          is_end ? say("debug_ended") : null].filter(Boolean).join(" · ");
}

// The requests and hazards of a moment.
function details_of(moment, stopped_by) {
  const cost = access => access.transactions === undefined ? "" :
    say(access.space === "shared" ? "debug_wavefronts" : "debug_sectors", {count: access.transactions, least: access.fewest_transactions});
  return [...moment.accesses.map(access => h("li", {}, h("code", {}, [access.kind, access.space, access.buffer].filter(Boolean).join(" ")), " ", cost(access))),
          ...[...moment.hazards, stopped_by].filter(Boolean).map(hazard => h("li", {class: "complaint"}, sentence(hazard.what), " ", sentence(hazard.fix)))];
}

function value_text({type, values}, lane) {
  const value = values[lane];
  if (value === undefined) return "";
  return type.endsWith("*") && typeof value === "number" ? `0x${value.toString(16)}` : String(value);
}

function lane_table(variables, moment) {
  const head = h("tr", {}, h("th", {scope: "col"}, say("debug_lane")), variables.map(each => h("th", {scope: "col", title: each.type}, h("code", {}, each.name))));
  const rows = Array.from({length: LANES}, (_, lane) => {
    const is_active = (moment.active >>> lane) & 1;
    return h("tr", {class: is_active ? "active" : "inactive"},
      h("th", {scope: "row"}, String(lane), is_active ? null : h("span", {class: "hidden"}, ` (${say("debug_inactive")})`)),
      variables.map(each => h("td", {class: each.changed[lane] ? "changed" : null}, value_text(each, lane))));
  });
  return h("table", {}, h("caption", {}, say("debug_variables")), h("thead", {}, head), h("tbody", {}, rows));
}

function warp_form(trace, cases, number, ask) {
  const chosen = h("select", {id: "debug-case"}, cases.map((name, i) => h("option", {value: i + 1, selected: i + 1 === number}, `${i + 1}: ${name}`)));
  const block = h("input", {type: "text", id: "debug-block", size: 8, value: trace.block.join(",")});
  const warp = h("input", {type: "text", id: "debug-warp", size: 3, inputmode: "numeric", value: trace.warp});
  const go = event => {
    event.preventDefault();
    ask({case: Number(chosen.value), block: block.value.split(",").map(Number), warp: Number(warp.value)});
  };
  return h("form", {class: "warp", onsubmit: go}, h("label", {for: "debug-case"}, say("debug_case")), chosen,
           h("label", {for: "debug-block"}, say("debug_block")), block, h("label", {for: "debug-warp"}, say("debug_warp")), warp,
           h("button", {type: "submit"}, say("debug_show")),
           button(say("debug_hazard"), () => ask({case: Number(chosen.value), hazard: true})));
}
