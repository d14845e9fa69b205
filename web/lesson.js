// A lab's lesson in the middle of the page: paragraphs, and numbers that the learner predicts before a run shows them;
// then the lab's quiz.
import {get, post} from "./api.js";
import {button, from_html, h} from "./dom.js";
import {quiz_view} from "./handout.js";
import {finished, run_view} from "./result.js";
import {say} from "./texts.js";

export async function show_lesson(place, name) {
  const lesson = await get(`lab/${name}/lesson`);
  const count = lesson.steps.filter(step => step.predict).length;
  const steps = h("article", {class: "text lesson"}, h("h2", {}, lesson.title), h("p", {class: "dim"}, lesson.teaches));
  const score = {right: 0, answered: 0};
  place.replaceChildren(steps);
  place.scrollTop = 0;
  show_from(0);

  // Shows the steps up to the next prediction, and the quiz after the last step.
  function show_from(at) {
    for (; at < lesson.steps.length; ++at) {
      const step = lesson.steps[at], next = at + 1;
      if (step.predict) return steps.append(prediction_form(name, at, step, say("prediction", {number: score.answered + 1, count}), right => {
        ++score.answered;
        score.right += right ? 1 : 0;
        show_from(next);
      }));
      steps.append(...step.text.map(text => from_html("p", {}, text)));
    }
    steps.append(h("p", {class: "score"}, `${say("predictions")}: ${score.right}/${score.answered}`));
    quiz_view(lesson).then(quiz => steps.after(quiz, h("p", {}, h("a", {href: `#/lab/${name}`}, say("to_handout")))));
  }
}

// Calls `done(right)` once, when the number and its reasons are shown.
function prediction_form(lab, step, {predict, label, source}, title, done) {
  const field = h("input", {type: "text", id: `prediction-${step}`, autocomplete: "off", "aria-describedby": `question-${step}`});
  const result = h("div", {class: "run-result", "aria-live": "polite"});
  const buttons = [h("button", {type: "submit", class: "main"}, say("predict")), button(say("do_not_know"), () => answer("?"))];
  let is_busy = false;

  async function answer(text) {
    if (is_busy) return;
    is_busy = true;
    try {
      const {id, prediction} = await post(`lab/${lab}/predict`, {step, answer: text});
      const job = id ? await finished(id, result) : {prediction};
      if (!job.prediction) return result.replaceChildren(...run_view(job));
      show(job.prediction);
    } catch (error) {
      result.replaceChildren(h("p", {class: "verdict fail"}, error.message));
    } finally { is_busy = false; }
  }
  function show({guessed, right, sentence, why}) {
    const verdict = h("p", {class: `verdict ${right ? "pass" : guessed ? "fail" : ""}`, tabindex: "-1"}, sentence);
    field.readOnly = true;
    buttons.forEach(each => each.remove());
    result.replaceChildren(h("pre", {class: "output", tabindex: "0"}, source), verdict, ...why.map(text => from_html("p", {}, text)));
    verdict.focus();
    done(right);
  }
  return h("form", {class: "prediction", "aria-label": title, onsubmit: event => { event.preventDefault(); answer(field.value); }},
           h("h3", {}, title), from_html("p", {id: `question-${step}`}, predict), h("label", {for: field.id}, label),
           h("div", {class: "row"}, field, buttons), result);
}
