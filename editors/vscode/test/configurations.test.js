// Tests debug configurations and the mapping of files to exercises in a course folder.
'use strict';
const assert = require('node:assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const test = require('node:test');
const { exerciseOf } = require('../lib/exercises');
const { tasksOf } = require('../lib/tasks');
const { configurationOfKernel, resolveConfiguration } = require('../lib/configurations');

function courseFolder(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cudalab-vscode-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const course = { schema: 'cudalab.workspace/1', exercises: { 'first-transpose': { lab: 'transpose' } } };
  fs.writeFileSync(path.join(folder, 'cudalab.json'), JSON.stringify(course));
  return folder;
}

test('maps only the file in the folder of its lab to an exercise', (t) => {
  const folder = courseFolder(t);
  const found = exerciseOf(path.join(folder, 'transpose', 'first-transpose.cu'));
  assert.deepStrictEqual(found, { name: 'first-transpose', folder });
  assert.strictEqual(exerciseOf(path.join(folder, 'reduce', 'first-transpose.cu')), undefined);
  assert.strictEqual(exerciseOf(path.join(folder, 'transpose', 'toString.cu')), undefined);
});

test('debugs the active file if the configuration has no target', (t) => {
  const folder = courseFolder(t);
  const exercise = path.join(folder, 'transpose', 'first-transpose.cu');
  assert.strictEqual(resolveConfiguration({}, exercise, '/w').exercise, 'first-transpose');
  assert.strictEqual(resolveConfiguration({}, exercise, '/w').cwd, folder);
  assert.strictEqual(resolveConfiguration({}, '/nowhere/a.cu', undefined).program, '/nowhere/a.cu');
  assert.strictEqual(resolveConfiguration({}, undefined, '/w'), undefined);
  assert.strictEqual(resolveConfiguration({ lab: 'reduce' }, exercise, '/w').program, undefined);
});

test('offers tasks for an exercise only', (t) => {
  const folder = courseFolder(t);
  const file = path.join(folder, 'transpose', 'first-transpose.cu');
  assert.deepStrictEqual(tasksOf(file).map(({ words }) => words), [
    ['check', file, '--format', 'gcc'], ['watch', 'first-transpose'], ['step', file], ['hint', 'first-transpose']]);
  assert.deepStrictEqual(tasksOf('/nowhere/a.cu'), []);
});

test('leaves a configuration that attaches as it is', () => {
  const resolved = resolveConfiguration({ request: 'attach', process: 7 }, '/a/k.cu', '/a');
  assert.deepStrictEqual(resolved, { request: 'attach', process: 7, type: 'cudalab', name: 'cudalab' });
});

test('debugs one kernel of a program, an exercise, or a file with kernels only', (t) => {
  const folder = courseFolder(t);
  const exercise = path.join(folder, 'transpose', 'first-transpose.cu');
  assert.strictEqual(configurationOfKernel(exercise, 'k', '', '/w').exercise, 'first-transpose');
  const { program, launch } = configurationOfKernel('/nowhere/a.cu', 'k', 'int main() {}', undefined);
  assert.deepStrictEqual([program, launch], ['/nowhere/a.cu', 'k']);
  const alone = configurationOfKernel('/nowhere/a.cu', 'k', '__global__ void k() {}', undefined);
  assert.deepStrictEqual([alone.kernel, alone.program, alone.launch], ['/nowhere/a.cu', undefined, undefined]);
});
