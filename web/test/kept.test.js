// Tests that what the browser keeps belongs to a course folder.
import assert from "node:assert/strict";
import test from "node:test";
import {keep, kept, learn_folder} from "../kept.js";

const stored = new Map();
globalThis.localStorage = {
  getItem: key => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
  removeItem: key => stored.delete(key),
};

test("a value is kept for its kind, its path and its folder", () => {
  learn_folder("a");
  keep("draft", "t/k.cu", {text: "x", digest: "1"});
  assert.deepEqual(kept("draft", "t/k.cu"), {text: "x", digest: "1"});
  assert.equal(kept("options", "t/k.cu"), null);
  learn_folder("b");
  assert.equal(kept("draft", "t/k.cu"), null);
});

test("null forgets a value, and a damaged value counts as none", () => {
  learn_folder("a");
  keep("breakpoints", "k.cu", [3]);
  keep("breakpoints", "k.cu", null);
  assert.equal(kept("breakpoints", "k.cu"), null);
  stored.set([...stored.keys()][0], "{");
  assert.equal(kept("draft", "t/k.cu"), null);
});
