// Turns the document of `cudalab check --json` into diagnostics without the API of VS Code.
'use strict';
const path = require('path');

/** @typedef {{file: string, line: number, message: string, related: {file: string, line: number}[],
 *             isInformation: boolean}} Diagnostic
 *  Lines are counted from 1. */

/** @param {any} where @param {string} file @param {string} folder @returns {{file: string, line: number}} */
function placeOf(where, file, folder) {
  const place = where || {};
  return { file: path.resolve(folder, place.file || file), line: Math.max(1, place.line || 1) };
}

/** @param {any} part @returns {string} */
function messageOf(part) {
  return [part.sentence || part.message, part.advice].filter((text) => typeof text === 'string' && text).join('\n');
}

/** @param {any} part @param {string} file @param {string} folder @returns {Diagnostic} */
function diagnosticOf(part, file, folder) {
  const related = part.other ? [placeOf(part.other, file, folder)] : [];
  return { ...placeOf(part.where, file, folder), message: messageOf(part) || part.name, related,
           isInformation: false };
}

/** Where a small change makes the kernel pass. @param {any} check @param {string} folder @returns {Diagnostic[]} */
function repairOf(check, folder) {
  const repair = check.repair;
  return repair ? [{ ...placeOf(repair, check.file, folder), message: repair.text, related: [], isInformation: true }] : [];
}

/** @param {any} document @param {string} folder the course folder @returns {Diagnostic[]} */
function diagnosticsOf(document, folder) {
  return (document.checks || []).flatMap((check) => check.parts
    .filter((part) => part.outcome === 'missed')
    .flatMap((part) => [part, ...(part.more_errors || [])])
    .map((part) => diagnosticOf(part, check.file, folder))
    .concat(repairOf(check, folder)));
}

module.exports = { diagnosticsOf };
