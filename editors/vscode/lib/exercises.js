// Maps files of a course folder to exercises: cudalab.json names the exercises, the file is LAB/NAME.cu.
'use strict';
const fs = require('fs');
const path = require('path');

/** @param {string} file @returns {string} the nearest folder above the file that has a cudalab.json, or '' */
function courseFolderOf(file) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, 'cudalab.json'))) return folder;
    if (folder === path.dirname(folder)) return '';
  }
}

/** @param {any} entry @returns {string} the lab of an exercise */
function labOf(entry) {
  return typeof entry === 'string' ? entry : String((entry && entry.lab) || '');
}

/** @param {string} folder @returns {{[name: string]: any}} the exercises of a course folder */
function exercisesOf(folder) {
  try {
    const course = JSON.parse(fs.readFileSync(path.join(folder, 'cudalab.json'), 'utf8'));
    return course.schema && course.schema !== 'cudalab.workspace/1' ? {} : course.exercises || {};
  } catch {
    return {};
  }
}

/** @param {string} file @returns {{name: string, folder: string} | undefined} the exercise that a file solves */
function exerciseOf(file) {
  const folder = courseFolderOf(file);
  const name = path.basename(file, '.cu');
  const exercises = folder ? exercisesOf(folder) : {};
  const known = Object.prototype.hasOwnProperty.call(exercises, name);
  const solved = known && path.resolve(file) === path.resolve(folder, labOf(exercises[name]), `${name}.cu`);
  return solved ? { name, folder } : undefined;
}

module.exports = { courseFolderOf, exerciseOf };
