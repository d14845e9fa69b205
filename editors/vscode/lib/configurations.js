// Completes debug configurations: without a target, the active file is debugged.
'use strict';
const path = require('path');
const { exerciseOf } = require('./exercises');

const TARGETS = ['exercise', 'lab', 'kernel', 'program'];

/**
 * @param {{[key: string]: any}} given the configuration; empty if the folder has no launch.json
 * @param {string | undefined} file the active file
 * @param {string | undefined} folder the workspace folder
 * @returns {{[key: string]: any} | undefined} undefined if there is nothing to debug
 */
function resolveConfiguration(given, file, folder) {
  const base = { ...given, type: 'cudalab', request: given.request || 'launch', name: given.name || 'cudalab' };
  if (base.request === 'attach') return base;
  if (TARGETS.some((key) => given[key])) return { ...base, cwd: given.cwd || folder };
  if (!file) return undefined;
  const exercise = exerciseOf(file);
  if (exercise) return { ...base, exercise: exercise.name, cwd: given.cwd || exercise.folder };
  return { ...base, program: file, cwd: given.cwd || folder || path.dirname(file) };
}

module.exports = { resolveConfiguration };
