// A form for the options of a command. The line is what counts: the form shows its options, and changes them.
import {get} from "./api.js";
import {h} from "./dom.js";
import {say} from "./texts.js";
import {line_of, words_in} from "./words.js";

// An option is {name: "--grid", placeholder: " X[,Y[,Z]]"}, with "[=FILE]" or "=OPTION" if its value follows an equals
// sign, and "" if it has none. The words behind "--" belong to the learner's program.
const takes_next_word = option => option.placeholder.startsWith(" ");
const takes_value = option => option.placeholder !== "";

// The option's values among the words, "" where it stands alone.
export function values_in(words, option) {
  return places_of(words, option).map(({value}) => value);
}

function places_of(words, option) {
  const places = [];
  for (let i = 0; i < words.length && words[i] !== "--"; ++i) {
    if (words[i].startsWith(`${option.name}=`)) places.push({at: i, count: 1, value: words[i].slice(option.name.length + 1)});
    else if (words[i] === option.name) {
      const count = takes_next_word(option) ? 2 : 1;
      places.push({at: i, count, value: count === 2 ? words[i + 1] ?? "" : ""});
      i += count - 1;
    }
  }
  return places;
}

// The words with these values of the option, where it stood before, or else behind all other options.
export function with_values(words, option, values) {
  const places = places_of(words, option);
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const before = places.length > 0 ? places[0].at : end;
  const added = values.flatMap(value => takes_next_word(option) ? [option.name, value] : value ? [`${option.name}=${value}`] : [option.name]);
  const is_left = (_, i) => !places.some(({at, count}) => i >= at && i < at + count);
  return [...words.slice(0, before), ...added, ...words.slice(before).filter((_, i) => is_left(_, before + i))];
}

// `field` has the line.
export function options_form(command, field) {
  const place = h("div", {class: "groups"});
  const box = h("details", {class: "options", ontoggle: () => { if (box.open) show(); }}, h("summary", {}, say("options")), place);
  field.addEventListener("input", () => { if (box.open) show(); });
  return box;

  async function show() {
    const options = await get(`options/${command}`);
    const groups = [...new Set(options.map(option => option.group))];
    const opened = [...place.children].map(each => each.open);
    place.replaceChildren(...groups.map((name, i) => h("details", {open: opened[i] ?? i === 0}, h("summary", {}, name),
      h("div", {class: "grid"}, options.filter(option => option.group === name).map(option => row(option))))));
  }
  function row(option) {
    const values = values_in(words_in(field.value), option);
    const controls = option.repeated ? [...values, ""].map(value => control(option, value)) : [control(option, values.at(-1) ?? null)];
    const id = `help-${Math.random().toString(36).slice(2)}`;
    controls.forEach(each => each.setAttribute("aria-describedby", id));
    const take = () => {
      const given = controls.map(value_of).filter(value => value !== null);
      field.value = line_of(with_values(words_in(field.value), option, given));
      if (option.repeated && controls.every(each => each.value)) show();
    };
    controls.forEach(each => each.addEventListener("change", take));
    return h("div", {}, h("code", {}, option.name), h("div", {class: "controls"}, controls), h("p", {class: "dim", id}, option.help, option.values ? h("br") : null, option.values));
  }
}

function control(option, value) {
  const label = {"aria-label": option.name};
  if (!takes_value(option)) return h("input", {type: "checkbox", checked: value !== null, ...label});
  if (option.words.length === 0 || option.repeated) return h("input", {type: "text", value: value ?? "", placeholder: option.placeholder.replace(/^[ =]/, ""), spellcheck: "false", ...label});
  const words = value && !option.words.includes(value) ? [value, ...option.words] : option.words;
  return h("select", label, h("option", {value: ""}, say("by_default")), words.map(word => h("option", {value: word, selected: word === value}, word)));
}

// Null: the option is not given.
function value_of(control) {
  if (control.type === "checkbox") return control.checked ? "" : null;
  return control.value || null;
}
