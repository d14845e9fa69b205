// The commands that VS Code offers as tasks, for the active file.
'use strict';
const { exerciseOf } = require('./exercises');

/** @type {{[command: string]: (file: string, name: string) => string[]}} */
const TASKS = {
  check: (file) => ['check', file, '--format', 'gcc'],
  watch: (_, name) => ['watch', name],
  step: (file) => ['step', file],
  hint: (_, name) => ['hint', name],
};

/** @param {string} file @returns {{command: string, words: string[], folder: string}[]} */
function tasksOf(file) {
  const exercise = exerciseOf(file);
  return exercise ? Object.entries(TASKS).map(([command, words]) => (
    { command, words: words(file, exercise.name), folder: exercise.folder })) : [];
}

module.exports = { tasksOf };
