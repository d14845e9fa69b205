// Turns the documents of `cudalab check --json` and `cudalab run --json` into diagnostics without the API of VS Code.
'use strict';
const path = require('path');

/** @typedef {{file: string, line: number, message: string, related: {file: string, line: number}[],
 *             isInformation: boolean, code: string}} Diagnostic
 *  Lines are counted from 1. `code` names the criterion or the kind of hazard. */

/** @param {any} where @param {string} file @param {string} folder @param {number} line if `where` has none
 *  @returns {{file: string, line: number}} */
function placeOf(where, file, folder, line = 1) {
  const place = where || {};
  return { file: path.resolve(folder, place.file || file), line: place.line > 0 ? place.line : line };
}

/** @param {any} part @returns {string} */
function messageOf(part) {
  return [part.sentence || part.message, part.advice].filter((text) => typeof text === 'string' && text).join('\n');
}

/** @param {any} part @param {string} file @param {string} folder @param {number} line @returns {Diagnostic} */
function diagnosticOf(part, file, folder, line) {
  const related = part.other ? [placeOf(part.other, file, folder)] : [];
  return { ...placeOf(part.where, file, folder, line), message: messageOf(part) || part.name, related,
           isInformation: false, code: part.name };
}

/** Where a small change makes the kernel pass. @param {any} check @param {string} folder @returns {Diagnostic[]} */
function repairOf(check, folder) {
  const repair = check.repair;
  return repair ? [{ ...placeOf(repair, check.file, folder), message: repair.text, related: [], isInformation: true,
                     code: 'small change' }] : [];
}

/** @param {any} document @param {string} folder the course folder @param {number} line for what has no place
 *  @returns {Diagnostic[]} */
function diagnosticsOf(document, folder, line = 1) {
  return (document.checks || []).flatMap((check) => check.parts
    .filter((part) => part.outcome === 'missed')
    .flatMap((part) => [part, ...(part.more_errors || [])])
    .map((part) => diagnosticOf(part, check.file, folder, line))
    .concat(repairOf(check, folder)));
}

/** A hazard of a launch, or a mistake of the host. @param {any} hazard @param {string} file @param {string} folder
 *  @returns {Diagnostic} */
function hazardDiagnostic(hazard, file, folder) {
  const related = hazard.other ? [placeOf(hazard.other, file, folder)] : [];
  return { ...placeOf(hazard.where, file, folder), message: [hazard.what, hazard.fix].filter(Boolean).join('\n'), related,
           isInformation: hazard.severity === 'note', code: String(hazard.kind).replace(/_/g, ' ') };
}

/** @param {any} document of `cudalab run --json`: of a kernel (`runs`) or a program (`program`, `other_processes`)
 *  @param {string} file that was run @param {string} folder it ran in @returns {Diagnostic[]} */
function hazardsOf(document, file, folder) {
  const processes = [document.program, ...(document.other_processes || [])].filter(Boolean);
  const launches = [...(document.runs || []), ...processes.flatMap((each) => each.launches || [])];
  return [...launches, ...processes].flatMap((each) => each.hazards || [])
    .map((hazard) => hazardDiagnostic(hazard, file, folder));
}

module.exports = { diagnosticsOf, hazardsOf };
