// Completes debug configurations: without a target, the active file is debugged.
'use strict';
const path = require('path');
const { exerciseOf } = require('./exercises');
const { hasMain } = require('./kernels');

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

/**
 * The configuration that debugs one kernel of a file, for the command above it.
 * @param {string} file @param {string} kernel @param {string} text of the file @param {string | undefined} folder
 * @returns {{[key: string]: any}} without `arguments` if the file is no program: its kernels need sizes and values
 */
function configurationOfKernel(file, kernel, text, folder) {
  const base = resolveConfiguration({ name: `cudalab: ${kernel}` }, file, folder);
  if (base.exercise) return base;
  if (hasMain(text)) return { ...base, launch: kernel };
  const { program, ...rest } = base;
  return { ...rest, kernel: program };
}

module.exports = { configurationOfKernel, resolveConfiguration };
