// The middle of the page: a lab's handout with commands that run in place, its questions, and its quiz.
import {get, post} from "./api.js";
import {button, from_html, h} from "./dom.js";
import {finished, page_view, run_view} from "./result.js";
import {say} from "./texts.js";
import {options_form} from "./options.js";
import {command_words} from "./words.js";

export async function show_handout(place, name, course) {
  const lab = await get(`lab/${name}`);
  const labs = new Set(course.labs.map(each => each.name));
  const runs_here = line => labs.has(command_words(line)?.[0]);
  const text = from_html("article", {class: "text"}, lab.html);
  text.querySelectorAll("pre.commands").forEach(block => make_runnable(block, runs_here));
  text.querySelectorAll("p code, li code").forEach(code => make_inline_runnable(code, runs_here));
  text.querySelectorAll("pre, .scroll").forEach(wide => wide.setAttribute("tabindex", "0"));  // the keyboard scrolls them
  text.querySelector("h2")?.after(h("p", {}, h("a", {href: `#/lesson/${name}`}, say("lesson_begin"))));
  place.replaceChildren(text, questions_view(lab), await quiz_view(lab));
  place.scrollTop = 0;
}

// A block of commands becomes a form for each: its line can be edited before it runs.
function make_runnable(block, runs_here) {
  const rows = [...block.querySelectorAll("code.command")].map(code => {
    const remark = code.nextElementSibling?.tagName === "SPAN" ? code.nextElementSibling.textContent : "";
    return runs_here(code.textContent) ? command_form(code.textContent, remark) : h("pre", {}, `${code.textContent}  ${remark}`);
  });
  block.replaceWith(h("div", {class: "commands"}, rows));
}

function command_form(line, remark) {
  const field = h("input", {type: "text", value: line, spellcheck: "false", "aria-label": say("command")});
  const result = h("div", {class: "run-result"});
  const run = async event => {
    event.preventDefault();
    const words = command_words(field.value);
    if (!words) return result.replaceChildren(h("p", {class: "verdict fail"}, say("not_a_command")));
    try {
      const {id} = await post("jobs", {kind: "lab", words});
      const job = await finished(id, result);
      result.replaceChildren(...run_view(job), ...page_view(job));
    } catch (error) {
      result.replaceChildren(h("p", {class: "verdict fail"}, error.message));
    }
  };
  return h("form", {class: "command", onsubmit: run}, h("div", {class: "row"}, field, h("button", {type: "submit"}, say("run"))),
           remark ? h("p", {class: "dim"}, remark.replace(/^#\s*/, "")) : null, options_form(command_words(line)[0], field), result);
}

// A command within a sentence opens a form below its paragraph.
function make_inline_runnable(code, runs_here) {
  if (!runs_here(code.textContent)) return;
  const open = button("▸", () => {
    const paragraph = code.closest("p, li");
    const known = paragraph.querySelector(":scope > form") ?? paragraph.parentElement.querySelector(`:scope > form[data-line="${CSS.escape(code.textContent)}"]`);
    if (known) return known.remove();
    const form = command_form(code.textContent, "");
    form.dataset.line = code.textContent;
    if (paragraph.tagName === "LI") paragraph.append(form);
    else paragraph.after(form);
    form.querySelector("input").focus();
  }, {class: "inline-run", title: say("run"), "aria-label": `${say("run")}: ${code.textContent}`});
  code.after(open);
}

function questions_view(lab) {
  if (lab.questions.length === 0) return h("div");
  const items = lab.questions.map((question, i) => {
    const answer = h("div", {class: "answer", "aria-live": "polite"});
    const show = button(say("show_answer"), async () => {
      const {answer: text} = await get(`lab/${lab.name}/answer`, {number: i + 1});
      answer.replaceChildren(from_html("p", {}, text));
      show.remove();
    });
    return h("li", {}, from_html("span", {}, question), " ", show, answer);
  });
  return h("section", {class: "questions", "aria-labelledby": "questions-title"},
           h("h2", {id: "questions-title"}, say("questions")), h("ol", {}, items));
}

export async function quiz_view(lab) {
  const seed = Math.floor(Math.random() * 1e9) + 1;
  const {questions} = await get(`lab/${lab.name}/quiz`, {seed});
  const score = h("p", {role: "status", class: "score"});
  const boxes = questions.map((question, i) => h("fieldset", {}, from_html("legend", {}, `${i + 1}. ${question.question}`),
    question.choices.map((choice, c) => {
      const input = h("input", {type: "radio", name: `quiz-${i}`, value: c});
      return h("label", {}, input, from_html("span", {}, choice));
    }), h("p", {class: "why"})));
  const mark = async event => {
    event.preventDefault();
    const answers = boxes.map(box => {
      const chosen = box.querySelector("input:checked");
      return chosen ? Number(chosen.value) : null;
    });
    const marked = await post(`lab/${lab.name}/quiz`, {seed, answers});
    score.textContent = marked.score;
    marked.results.forEach((result, i) => mark_question(boxes[i], result));
  };
  return h("section", {class: "quiz", "aria-labelledby": "quiz-title"}, h("h2", {id: "quiz-title"}, say("quiz")),
           h("form", {onsubmit: mark}, boxes, h("button", {type: "submit"}, say("mark_quiz")), score));
}

function mark_question(box, result) {
  box.className = result.answered ? (result.right ? "right" : "wrong") : "";
  const why = box.querySelector(".why");
  why.innerHTML = result.why ?? "";
  if (result.answered) why.prepend(h("strong", {}, say(result.right ? "right" : "wrong") + " "));
  box.querySelectorAll("label").forEach((label, i) => label.classList.toggle("solution", result.answered && i === result.answer));
}
