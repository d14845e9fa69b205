// Starts the workbook: reads the address (#/exercise/NAME, #/lab/NAME, #/lesson/LAB, #/file/PATH), and keeps the three parts of the
// page up to date.
import {get, language, listen, speak} from "./api.js";
import {course_view} from "./course.js";
import {by_id, h} from "./dom.js";
import {show_handout} from "./handout.js";
import {learn_folder} from "./kept.js";
import {show_lesson} from "./lesson.js";
import {ask_again, on_done, on_job} from "./result.js";
import {learn_texts, say} from "./texts.js";
import {act, files_changed, save_all, show_exercise, show_file, show_nothing} from "./work.js";

const LANGUAGES = {en: "English", zh: "中文", ru: "Русский"};
let course = null;
let shown = {};  // what the page shows: {lab, lesson, exercise, file}
let middle = {};  // what is in the middle: the handout or the lesson of a lab, {lab, lesson}
let opened = {};  // what is on the right: {exercise} or {file}

async function learn_language(name) {
  speak(name);
  const {lang, texts} = await get("texts");
  speak(lang);
  learn_texts(texts);
  document.documentElement.lang = lang;
  by_id("skip").textContent = say("skip");
  by_id("course").setAttribute("aria-label", say("course"));
  by_id("handout").setAttribute("aria-label", say("handout"));
  by_id("work").setAttribute("aria-label", say("work"));
}

function show_top() {
  const choice = h("select", {"aria-label": say("language"), onchange: async event => {
    localStorage.setItem("cudalab language", event.target.value);
    await save_all();
    location.reload();
  }}, Object.entries(LANGUAGES).map(([value, name]) => h("option", {value, selected: value === language}, name)));
  const tabs = ["course", "handout", "work"].map(part => h("button", {type: "button", "aria-pressed": String(document.body.dataset.part === part),
    onclick: () => show_part(part)}, say(part)));
  by_id("top").replaceChildren(h("h1", {}, h("a", {href: "#/"}, "cudalab")), h("span", {class: "dim"}, `${course.folder}: ${course.progress}`),
                               h("div", {class: "tabs", role: "group", "aria-label": say("parts")}, tabs), choice);
  by_id("banner").textContent = course.objection;
  by_id("banner").hidden = !course.objection;
}

// On a narrow screen one part is visible.
function show_part(part) {
  document.body.dataset.part = part;
  show_top();
}

function selected_in(hash) {
  const [, kind, ...rest] = decodeURIComponent(hash).split("/");
  const name = rest.join("/");
  if (kind === "exercise") return {exercise: name, lab: course.labs.find(lab => lab.exercises.some(each => each.name === name))?.name};
  if (kind === "lab") return {lab: name};
  if (kind === "lesson") return {lab: name, lesson: true};
  if (kind === "file") return {file: name};
  return course.current ? selected_in(`#/exercise/${course.current}`) : {lab: course.labs[0].name};
}

function show_course() {
  const scroll = by_id("course").scrollTop;
  by_id("course").replaceChildren(...course_view(course, shown));
  by_id("course").scrollTop = scroll;
}

// The exercise after this one that is not done.
function next_of(name) {
  const all = course.labs.flatMap(lab => lab.exercises);
  const at = all.findIndex(each => each.name === name);
  return [...all.slice(at + 1), ...all.slice(0, at)].find(each => each.state !== "passed" && each.state !== "solution")?.name;
}

// One change of the page at a time; what was asked for last is shown.
let navigation = Promise.resolve();
function navigate() {
  navigation = navigation.then(show_selected);
  return navigation;
}

async function show_selected() {
  await save_all();
  shown = selected_in(location.hash);
  show_course();
  const work = by_id("work"), handout = by_id("handout");
  document.body.dataset.part = shown.exercise || shown.file ? "work" : "handout";
  show_top();
  document.title = `${shown.exercise ?? shown.file ?? shown.lab} · cudalab`;
  await show_middle(handout).catch(error => {
    middle = {};
    handout.replaceChildren(h("p", {class: "verdict fail"}, error.message));
  });
  await show_work(work).catch(error => {
    opened = {};
    work.replaceChildren(h("p", {class: "verdict fail"}, error.message));
  });
}

// An exercise leaves the lesson of its lab where it is.
async function show_middle(place) {
  const lab = shown.lab ?? middle.lab ?? course.labs[0].name;
  const lesson = shown.exercise || shown.file ? lab === middle.lab && middle.lesson : Boolean(shown.lesson);
  if (lab === middle.lab && lesson === middle.lesson) return;
  middle = {lab, lesson};
  await (lesson ? show_lesson(place, lab) : show_handout(place, lab, course));
}

// A handout or a lesson leaves the learner's work where it is.
async function show_work(place) {
  const {exercise, file} = shown;
  if (exercise ? exercise === opened.exercise : file ? file === opened.file : place.childElementCount > 0) return;
  opened = {exercise, file};
  if (exercise) await show_exercise(place, exercise, next_of);
  else if (file) await show_file(place, file);
  else show_nothing(place);
}

async function refresh() {
  course = await get("course");
  show_course();
  show_top();
  await files_changed();
}

async function begin() {
  document.body.dataset.part = "work";
  await learn_language(localStorage.getItem("cudalab language") ?? "");
  course = await get("course");
  learn_folder(course.id);
  window.addEventListener("hashchange", navigate);
  await navigate();
  document.addEventListener("keydown", event => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    act();
  });
  listen({job: on_job, done: data => { on_done(data); refresh(); }, files: refresh}, is_connected => {
    const banner = by_id("banner");
    banner.textContent = is_connected ? course.objection : say("not_connected");
    banner.hidden = is_connected && !course.objection;
    if (is_connected) {
      ask_again();
      save_all().then(refresh);
    }
  });
}

begin().catch(error => {
  by_id("banner").hidden = false;
  by_id("banner").textContent = error.message;
});
