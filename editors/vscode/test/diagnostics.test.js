// Tests diagnostics of recorded documents.
'use strict';
const assert = require('node:assert');
const path = require('path');
const test = require('node:test');
const { diagnosticsOf, hazardsOf } = require('../lib/diagnostics');

const FILE = path.resolve('/course/transpose/first-transpose.cu');

test('shows every compile error in its line', () => {
  const found = diagnosticsOf(require('./fixtures/errors.json'), '/course');
  assert.deepStrictEqual(found.map(({ file, line }) => [file, line]), [[FILE, 18], [FILE, 19]]);
  assert.match(found[0].message, /"yy" is undefined/);
  assert.match(found[1].message, /"zz" is undefined/);
});

test('shows a missed criterion without a place in the line of the kernel', () => {
  const found = diagnosticsOf(require('./fixtures/unsolved.json'), '/course', 12);
  assert.deepStrictEqual(found.map(({ file, line }) => [file, line]), [[FILE, 12]]);
  assert.match(found[0].message, /never written/);
});

test('relates the second access of a race', () => {
  const part = { name: 'no hazards', outcome: 'missed', sentence: 'race', advice: 'synchronize',
                 where: { file: 'a.cu', line: 3 }, other: { file: 'a.cu', line: 5 } };
  const [found] = diagnosticsOf({ checks: [{ file: 'a.cu', parts: [part] }] }, '/course');
  assert.deepStrictEqual(found.related, [{ file: path.resolve('/course/a.cu'), line: 5 }]);
  assert.strictEqual(found.message, 'race\nsynchronize');
});

test('shows where a small change helps, as information', () => {
  const part = { name: 'right results', outcome: 'missed', sentence: 'wrong', advice: '', where: null, other: null };
  const repair = { line: 7, kind: 'comparison', message: { id: 'repair_found', arguments: {} }, text: 'look at line 7', other_lines: [] };
  const found = diagnosticsOf({ checks: [{ file: 'a.cu', parts: [part], repair }] }, '/course');
  assert.deepStrictEqual(found.map(({ line, message, isInformation }) => [line, message, isInformation]),
                         [[1, 'wrong', false], [7, 'look at line 7', true]]);
});

test('shows the hazards of a kernel, each with its kind', () => {
  const race = { kind: 'shared_race', what: 'race', fix: 'synchronize', where: { file: 'k.cu', line: 6 }, other: { file: 'k.cu', line: 3 } };
  const [found, ...more] = hazardsOf({ runs: [{ hazards: [race] }, { hazards: null }] }, '/w/k.cu', '/w');
  assert.deepStrictEqual([found.file, found.line, found.message, found.code, found.related, more],
                         [path.resolve('/w/k.cu'), 6, 'race\nsynchronize', 'shared race', [{ file: path.resolve('/w/k.cu'), line: 3 }], []]);
});

test('shows the hazards and mistakes of all processes of a program', () => {
  const mistake = (kind, line, severity) => ({ kind, what: kind, fix: null, where: line ? { file: null, line } : null, severity });
  const document = { program: { launches: [{ hazards: [mistake('out_of_bounds', 4)] }], hazards: [mistake('host_clock', 9, 'note')] },
                     other_processes: [{ launches: [], hazards: [mistake('double_free', 0, 'error')] }] };
  assert.deepStrictEqual(hazardsOf(document, '/w/p.cu', '/w').map(({ file, line, code, isInformation }) => [file, line, code, isInformation]),
                         [['/w/p.cu', 4, 'out of bounds', false], ['/w/p.cu', 9, 'host clock', true], ['/w/p.cu', 1, 'double free', false]]);
});
