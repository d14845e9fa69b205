// The page of the Warp view: pictures of the line's accesses, and a table with a row per lane. The pictures are SVG that
// cudalab has drawn; every other text from the session is escaped. The page runs no script and loads nothing.
'use strict';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @param {any} text @returns {string} */
function escaped(text) {
  return String(text).replace(/[&<>"']/g, (one) => ENTITIES[one]);
}

const STYLE = `
:root { --back: var(--vscode-sideBar-background); --text: var(--vscode-foreground);
  --dim: var(--vscode-descriptionForeground); --rule: var(--vscode-panel-border, #8888); --good: #4c9a5b; --bad: #c9554b;
  --faint: #8883; --plain: #8b98a5; --in: var(--vscode-foreground); --on: #fff;
  --c0: #2b6cb0; --c1: #c05621; --c2: #2f855a; --c3: #805ad5; --c4: #b7791f; --c5: #b83280; }
.inactive { opacity: .5 } td, th { padding: 0 .5em; text-align: left } pre { font-family: var(--vscode-editor-font-family) }
figure { margin: .5em 0; overflow-x: auto } figcaption { font-weight: 600 }
.caption, .legend { color: var(--dim); font-size: .9em; list-style: none; padding: 0; margin: .2em 0 }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .3em }
svg.picture { max-width: 100%; height: auto; font: 11px monospace } svg text { fill: var(--text) }
svg .dim, svg .tick, svg .ytick { fill: var(--dim) } svg .tick { text-anchor: middle } svg .ytick { text-anchor: end }
svg .in, svg .in text { fill: var(--in); text-anchor: middle; font-size: 9px } svg .on, svg .on text { fill: var(--on) }
svg .gaps { stroke: var(--back); fill: none } svg .grid { stroke: var(--rule); fill: none }
${['good', 'bad', 'faint', 'plain'].map((tone) => `.t-${tone}{fill:var(--${tone});background:var(--${tone})}`).join('')}
${[0, 1, 2, 3, 4, 5].map((tone) => `.t-${tone}{fill:var(--c${tone});background:var(--c${tone})}`).join('')}
`;

/** @param {any} lane @param {string[]} names @returns {string} */
function rowOf(lane, names) {
  const value = (name) => `<td>${escaped((lane.values || {})[name] ?? '')}</td>`;
  return `<tr class="${lane.active ? 'active' : 'inactive'}"><th>${escaped(lane.lane)}</th>` +
         `<td>${escaped(lane.state || (lane.active ? 'active' : 'inactive'))}</td>${names.map(value).join('')}</tr>`;
}

/** @param {any} warp the answer to cudalab/warp @param {string} nonce of the style @returns {string} */
function warpPage(warp, nonce) {
  const lanes = warp.lanes || [];
  const names = [...new Set(lanes.flatMap((lane) => Object.keys(lane.values || {})))];
  const heads = ['lane', 'state', ...names].map((name) => `<th>${escaped(name)}</th>`).join('');
  return '<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" ' +
         `content="default-src 'none'; style-src 'nonce-${escaped(nonce)}'"><style nonce="${escaped(nonce)}">` +
         `${STYLE}</style></head><body>${(warp.pictures || []).join('')}` +
         `<pre>${(warp.lines || []).map(escaped).join('\n')}</pre>` +
         `<table><tr>${heads}</tr>${lanes.map((lane) => rowOf(lane, names)).join('')}</table></body></html>`;
}

module.exports = { warpPage };
