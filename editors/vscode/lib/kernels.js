// Finds the definitions of `__global__` functions, and whether there is a `main`, in a source file.
'use strict';

/** @param {string} text @returns {string} comments and literals as blanks, every other character in its place */
function withoutComments(text) {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'/g,
                      (match) => match.replace(/[^\n]/g, ' '));
}

/** @param {string} text @param {number} open the place of "(" @returns {number} the place behind its ")" */
function behindParentheses(text, open) {
  let depth = 0;
  for (let at = open; at < text.length; ++at) {
    if (text[at] === '(') ++depth;
    if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return text.length;
}

/** @param {string} code @param {number} at behind `__global__` @returns {string} the function's name, or '' */
function nameBehind(code, at) {
  const next = /([A-Za-z_]\w*)\s*\(/g;
  next.lastIndex = at;
  for (let match; (match = next.exec(code));) {
    if (/[;{}]/.test(code.slice(at, match.index))) return '';
    const end = behindParentheses(code, next.lastIndex - 1);
    if (/^(__launch_bounds__|__attribute__|__cluster_dims__|__maxnreg__|__block_size__|alignas)$/.test(match[1])) {
      next.lastIndex = end;
      continue;
    }
    return /^\s*\{/.test(code.slice(end)) ? match[1] : '';
  }
  return '';
}

/** @param {string} text @returns {{name: string, line: number}[]} kernels; lines are counted from 0 */
function findKernels(text) {
  const code = withoutComments(text);
  return [...code.matchAll(/\b__global__\b/g)].flatMap((match) => {
    const name = nameBehind(code, match.index + match[0].length);
    return name ? [{ name, line: code.slice(0, match.index).split('\n').length - 1 }] : [];
  });
}

/** @param {string} text @returns {boolean} whether the file is a program */
function hasMain(text) {
  return /\bmain\s*\(/.test(withoutComments(text));
}

/** @param {string} listing what `cudalab run FILE` prints for a file without main @param {string} kernel
 *  @returns {string} the options that it suggests, for this kernel; without arguments if it suggests another one */
function optionsSuggested(listing, kernel) {
  const [, suggested = '', rest = ''] = /--kernel ('[^']*'|\S+) *(.*)/.exec(listing) || [];
  const name = suggested.replace(/'/g, '');
  if (name.replace(/<.*/, '') === kernel) return `--kernel ${name} ${rest}`;
  return `--kernel ${kernel} ${rest.replace(/ *--arg .*/, '')}`.trim();
}

module.exports = { findKernels, hasMain, optionsSuggested };
