// Tests the lines of a source that a check marks.
import assert from "node:assert/strict";
import test from "node:test";
import {marks_by_line, marks_of_check} from "../marks.js";

const part = more => ({name: "x", outcome: "missed", sentence: "s", advice: "", where: null, other: null, ...more});

test("places of missed parts, reasons, errors and repairs", () => {
  const check = {parts: [
    part({where: {file: "t/k.cu", line: 3}, other: {file: "t/k.cu", line: 4}}),
    part({reasons: [{sentence: "r", where: {file: "t/k.cu", line: 7}}], more_errors: [{sentence: "e", where: {file: "k.cu", line: 9}}]}),
    part({outcome: "met", where: {file: "t/k.cu", line: 11}}),
  ], repair: {line: 12, text: "here"}};
  assert.deepEqual(marks_of_check(check, "t/k.cu").map(mark => [mark.line, mark.text, mark.is_error]),
                   [[3, "s", true], [4, "s", false], [7, "r", true], [9, "e", true], [12, "here", true]]);
});

test("other files and lines that are not known are left out", () => {
  const check = {parts: [part({where: {file: "other.cuh", line: 3}}), part({where: {file: "t/k.cu", line: 0}})]};
  assert.deepEqual(marks_of_check(check, "t/k.cu"), []);
});

test("a line has all its texts once, and the gravest kind", () => {
  const lines = marks_by_line([{line: 1, text: "a", is_error: false}, {line: 1, text: "b", is_error: true}, {line: 1, text: "a", is_error: true}]);
  assert.deepEqual(lines.get(1), {is_error: true, texts: ["a", "b"]});
});
