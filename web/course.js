// The left of the page: labs, exercises with their state, and the learner's other files.
import {h} from "./dom.js";
import {say} from "./texts.js";

const MARKS = {passed: "✓", solution: "s", started: "•", new: " "};

export function course_view(course, selected) {
  const own = new Set(course.labs.flatMap(lab => lab.exercises.map(exercise => exercise.file)));
  const files = course.files.filter(file => !own.has(file));
  return [h("h2", {class: "hidden"}, say("course")),
          h("ul", {class: "labs"}, course.labs.map(lab => lab_item(lab, course, selected))),
          files.length > 0 ? [h("h2", {}, say("your_files")),
            h("ul", {}, files.map(file => h("li", {}, link(`#/file/${file}`, file, selected.file === file))))] : null]
    .flat().filter(Boolean);
}

function link(href, text, is_current) {
  return h("a", {href, "aria-current": is_current ? "page" : null}, text);
}

const opened = new Set();  // labs that the reader has opened, by name

function lab_item(lab, course, selected) {
  const passed = lab.exercises.filter(exercise => exercise.state === "passed").length;
  const count = lab.exercises.length ? h("span", {class: "count"}, `${passed}/${lab.exercises.length}`) : null;
  const is_open = lab.name === selected.lab;
  const reads = is_open && !selected.exercise;
  const handout = h("li", {}, link(`#/lab/${lab.name}`, say("handout"), reads && !selected.lesson));
  const lesson = h("li", {}, link(`#/lesson/${lab.name}`, say("lesson"), reads && selected.lesson));
  const list = h("ul", {}, handout, lesson, lab.exercises.map(exercise => exercise_item(exercise, course, selected)));
  const quiz = lab.quiz ? h("li", {class: "dim"}, `${say("quiz")}: ${lab.quiz.right}/${lab.quiz.of}`) : null;
  if (quiz) list.append(quiz);
  const toggle = () => opened.delete(lab.name) || opened.add(lab.name);
  return h("li", {}, h("details", {open: is_open || opened.has(lab.name)},
    h("summary", {class: is_open ? "current" : null, onclick: toggle}, lab.name, count), list));
}

function exercise_item(exercise, course, selected) {
  const is_next = exercise.name === course.current;
  const name = [h("span", {class: "mark", "aria-hidden": "true"}, MARKS[exercise.state]), h("span", {}, exercise.name),
                h("span", {class: "hidden"}, ` (${say("state_" + exercise.state)})`),
                is_next ? h("span", {class: "next"}, say("next")) : null];
  return h("li", {class: exercise.state}, link(`#/exercise/${exercise.name}`, name, exercise.name === selected.exercise));
}
