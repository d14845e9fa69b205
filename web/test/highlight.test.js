// The coloured pieces of a source are the source, and have the right kinds.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import {fileURLToPath} from "node:url";
import {highlighted} from "../highlight.js";

const text_of = pieces => pieces.map(([, text]) => text).join("");
const kind_of = (source, text) => highlighted(source).find(piece => piece[1].includes(text))?.[0];

test("kinds", () => {
  const source = "#include <cstdio>\n__global__ void k(float* a) { a[threadIdx.x] = 1.5f; /* all */ } // end\nconst char* s = \"x // y\";";
  assert.equal(kind_of(source, "#include"), "macro");
  assert.equal(kind_of(source, "__global__"), "cuda");
  assert.equal(kind_of(source, "void"), "keyword");
  assert.equal(kind_of(source, "1.5f"), "number");
  assert.equal(kind_of(source, "/* all */"), "comment");
  assert.equal(kind_of(source, "// end"), "comment");
  assert.equal(kind_of(source, "x // y"), "string");
});

test("unfinished comments and strings end with the source or the line", () => {
  for (const source of ["/* open", "\"open\nint x;", "'", "", "a\\"]) assert.equal(text_of(highlighted(source)), source);
  assert.equal(kind_of("\"open\nint x;", "int"), "keyword");
});

test("no byte of the course's kernels is lost", () => {
  const labs = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../labs");
  const kernels = fs.readdirSync(labs, {recursive: true}).filter(name => name.endsWith(".cu"));
  assert.ok(kernels.length > 100);
  for (const name of kernels) {
    const source = fs.readFileSync(path.join(labs, name), "utf8");
    assert.equal(text_of(highlighted(source)), source, name);
  }
});
