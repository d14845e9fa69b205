// Command lines as a shell reads them.
import assert from "node:assert/strict";
import test from "node:test";
import {command_words, words_in} from "../words.js";

test("blanks separate words", () => {
  assert.deepEqual(words_in("  --tile 16\t--pad "), ["--tile", "16", "--pad"]);
  assert.deepEqual(words_in(""), []);
});

test("quotes and backslashes keep blanks", () => {
  assert.deepEqual(words_in(`--f "exp(-x*x)*cos(3*x)" --kernel 'mm<float,16>' a\\ b`),
                   ["--f", "exp(-x*x)*cos(3*x)", "--kernel", "mm<float,16>", "a b"]);
  assert.deepEqual(words_in("--name=''"), ["--name="]);
  assert.deepEqual(words_in("''"), [""]);
});

test("only commands of cudalab are commands", () => {
  assert.deepEqual(command_words("cudalab transpose --tile 16"), ["transpose", "--tile", "16"]);
  assert.equal(command_words("rm -rf /"), null);
  assert.equal(command_words("cudalab"), null);
});
