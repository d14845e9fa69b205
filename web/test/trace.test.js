// A warp's trace, read moment by moment.
import assert from "node:assert/strict";
import test from "node:test";
import {lanes_of, lanes_text, moments_of, nearest, variables_after} from "../trace.js";

const line = number => ({file: "k.cu", line: number});
const step = (number, more = {}) => ({step: number, active: 0b11, meets: false, parts: false, barrier: false, accesses: [], hazards: [], warps: 0, ...more});
const variable = (name, mask, lanes, call = 0) => ({name, type: "int", call, mask, lanes});
const trace = {
  warps: [[{state: "ready"}, {state: "at_barrier", barrier: 0}]],
  steps: [step(0, {variables: [variable("i", 0b11, [4, 5])]}),
          step(1, {parts: true, variables: [variable("sum", 0b10, [7])]}),
          step(2, {active: 0b10, variables: [variable("i", 0b11, [4, 6]), variable("sum", 0, [])]}),
          step(3, {active: 0b10, barrier: true})],
  moments: [{first: 0, last: 1, line: line(3)}, {first: 2, last: 3, line: line(4)}],
};

test("masks as lanes", () => {
  assert.deepEqual(lanes_of(0x80000001), [0, 31]);
  assert.equal(lanes_text(0xffffffff), "0-31");
  assert.equal(lanes_text(0b1000_0000_0111), "0-2, 11");
  assert.equal(lanes_text(0), "–");
});

test("moments collect what their steps did", () => {
  const [first, second] = moments_of(trace);
  assert.deepEqual([first.active, first.diverges, first.barrier, first.line.line], [3, true, false, 3]);
  assert.deepEqual([second.active, second.diverges, second.barrier, second.waiting], [2, false, true, [1]]);
});

test("variables after a moment, with the lanes that it changed", () => {
  const [first, second] = moments_of(trace);
  const [i, sum] = variables_after(trace, first);
  assert.deepEqual([i.name, i.values[0], i.values[1], i.values[2], i.changed[0]], ["i", 4, 5, undefined, true]);
  assert.deepEqual([sum.name, sum.values[0], sum.values[1]], ["sum", undefined, 7]);
  const after = variables_after(trace, second);
  assert.deepEqual(after.map(each => each.name), ["i"]);  // sum is out of its scope
  assert.deepEqual([after[0].values[1], after[0].changed[0], after[0].changed[1]], [6, false, true]);
});

test("the nearest barrier in both directions", () => {
  const moments = moments_of(trace), is_barrier = moment => moment.barrier;
  assert.equal(nearest(moments, 0, 1, is_barrier), 1);
  assert.equal(nearest(moments, 1, 1, is_barrier), 1);
  assert.equal(nearest(moments, 1, -1, is_barrier), 1);
});
