// The left of the page: labs with their exercises and kernels, and the learner's other files.
import {h} from "./dom.js";
import {say} from "./texts.js";

const MARKS = {passed: "✓", solution: "s", started: "•", new: " "};

export function course_view(course, selected) {
  const own = new Set(course.labs.flatMap(lab => lab.exercises.map(exercise => exercise.file)));
  const others = course.files.filter(file => !own.has(file));
  const of_lab = lab => others.filter(file => file.startsWith(`${lab.name}/`));
  const files = others.filter(file => !course.labs.some(lab => file.startsWith(`${lab.name}/`)));
  return [h("h2", {class: "hidden"}, say("course")),
          h("ul", {class: "labs"}, course.labs.map(lab => lab_item(lab, of_lab(lab), course, selected))),
          files.length > 0 ? [h("h2", {}, say("your_files")), h("ul", {}, files.map(file => file_item(file, file, selected)))] : null]
    .flat().filter(Boolean);
}

function file_item(file, name, selected) {
  return h("li", {}, link(`#/file/${file}`, name, selected.file === file));
}

function link(href, text, is_current) {
  return h("a", {href, "aria-current": is_current ? "page" : null}, text);
}

const opened = new Set();  // parts that the reader has opened, by name

function foldable(key, is_open, summary, content) {
  const toggle = () => opened.delete(key) || opened.add(key);
  return h("details", {open: is_open || opened.has(key)}, h("summary", {class: is_open ? "current" : null, onclick: toggle}, summary), content);
}

function lab_item(lab, files, course, selected) {
  const passed = lab.exercises.filter(exercise => exercise.state === "passed").length;
  const count = lab.exercises.length ? h("span", {class: "count"}, `${passed}/${lab.exercises.length}`) : null;
  const is_open = lab.name === selected.lab || files.includes(selected.file);
  const reads = lab.name === selected.lab && !selected.exercise;
  const handout = h("li", {}, link(`#/lab/${lab.name}`, say("handout"), reads && !selected.lesson));
  const lesson = h("li", {}, link(`#/lesson/${lab.name}`, say("lesson"), reads && selected.lesson));
  const kernels = files.map(file => file_item(file, file.slice(lab.name.length + 1), selected));
  const list = h("ul", {}, handout, lesson, lab.exercises.map(exercise => exercise_item(exercise, course, selected)),
                 kernels.length > 0 ? h("li", {}, foldable(`${lab.name}/`, files.includes(selected.file), say("kernels"), h("ul", {}, kernels))) : null);
  const quiz = lab.quiz ? h("li", {class: "dim"}, `${say("quiz")}: ${lab.quiz.right}/${lab.quiz.of}`) : null;
  if (quiz) list.append(quiz);
  return h("li", {}, foldable(lab.name, is_open, [lab.name, count], list));
}

function exercise_item(exercise, course, selected) {
  const is_next = exercise.name === course.current;
  const name = [h("span", {class: "mark", "aria-hidden": "true"}, MARKS[exercise.state]), h("span", {}, exercise.name),
                h("span", {class: "hidden"}, ` (${say("state_" + exercise.state)})`),
                is_next ? h("span", {class: "next"}, say("next")) : null];
  return h("li", {class: exercise.state}, link(`#/exercise/${exercise.name}`, name, exercise.name === selected.exercise));
}
