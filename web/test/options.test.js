// Options within a line of words: reading their values, and replacing them.
import assert from "node:assert/strict";
import test from "node:test";
import {values_in, with_values} from "../options.js";
import {line_of, words_in} from "../words.js";

const GRID = {name: "--grid", placeholder: " X[,Y[,Z]]"}, ARG = {name: "--arg", placeholder: " SPEC"}, LINES = {name: "--lines", placeholder: ""};
const OPTION = {name: "--option", placeholder: "=OPTION"};

test("values stand behind the option or an equals sign", () => {
  const words = words_in("--grid 4 --arg buf:f32:8 --arg=i32:8 --lines --option=-use_fast_math -- --grid 9");
  assert.deepEqual(values_in(words, GRID), ["4"]);
  assert.deepEqual(values_in(words, ARG), ["buf:f32:8", "i32:8"]);
  assert.deepEqual(values_in(words, LINES), [""]);
  assert.deepEqual(values_in(words, OPTION), ["-use_fast_math"]);
  assert.deepEqual(values_in(["--grid"], GRID), [""]);
});

test("a new value takes the old one's place", () => {
  const changed = (line, option, ...values) => line_of(with_values(words_in(line), option, values));
  assert.equal(changed("--grid 4 --lines", GRID, "8,2"), "--grid 8,2 --lines");
  assert.equal(changed("--arg a --grid 4 --arg b", ARG, "a", "c"), "--arg a --arg c --grid 4");
  assert.equal(changed("--grid 4", ARG, "b"), "--grid 4 --arg b");
  assert.equal(changed("--grid 4 --lines", LINES), "--grid 4");
  assert.equal(changed("a -- 1 2", GRID, "4"), "a --grid 4 -- 1 2");
  assert.equal(changed("", OPTION, "-G"), "--option=-G");
});

test("a line has the words that it was made of", () => {
  for (const words of [["--kernel", "mm<float,16>"], ["it's", "a b", ""], ["{i32:1,f32:2}", "[4*buf:f32:64:zero]"], ["$HOME", "a\\b", "\"q\""]])
    assert.deepEqual(words_in(line_of(words)), words);
});
