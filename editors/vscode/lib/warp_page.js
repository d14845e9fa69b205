// The page of the Warp view: a table with a row per lane. Every text from the session is escaped.
'use strict';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @param {any} text @returns {string} */
function escaped(text) {
  return String(text).replace(/[&<>"']/g, (one) => ENTITIES[one]);
}

/** @param {any} lane @param {string[]} names @returns {string} */
function rowOf(lane, names) {
  const value = (name) => `<td>${escaped((lane.values || {})[name] ?? '')}</td>`;
  return `<tr class="${lane.active ? 'active' : 'inactive'}"><th>${escaped(lane.lane)}</th>` +
         `<td>${lane.active ? 'active' : 'inactive'}</td>${names.map(value).join('')}</tr>`;
}

/** @param {any} warp the answer to cudalab/warp @param {string} nonce of the style @returns {string} */
function warpPage(warp, nonce) {
  const lanes = warp.lanes || [];
  const names = [...new Set(lanes.flatMap((lane) => Object.keys(lane.values || {})))];
  const heads = ['lane', 'state', ...names].map((name) => `<th>${escaped(name)}</th>`).join('');
  return '<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" ' +
         `content="default-src 'none'; style-src 'nonce-${escaped(nonce)}'"><style nonce="${escaped(nonce)}">` +
         '.inactive{opacity:.5}td,th{padding:0 .5em;text-align:left}</style></head><body>' +
         `<pre>${(warp.lines || []).map(escaped).join('\n')}</pre>` +
         `<table><tr>${heads}</tr>${lanes.map((lane) => rowOf(lane, names)).join('')}</table></body></html>`;
}

module.exports = { warpPage };
