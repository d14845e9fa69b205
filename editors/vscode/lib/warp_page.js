// The page of the Warp view: pictures of the line's accesses, and beside them a table with a row per lane. Variables with one
// value in all lanes are above the table. The pictures are SVG that cudalab has drawn; every other text from the session is
// escaped. The page runs no script and loads nothing.
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
body { display: flex; flex-wrap: wrap; gap: 0 2em; align-items: flex-start } h1 { flex-basis: 100%; font-size: 1em; margin: .3em 0 }
.inactive { opacity: .5 } td, th { padding: 0 .7em 0 0; text-align: left } table, code { font-family: var(--vscode-editor-font-family) }
th { font-weight: normal; color: var(--dim) } td { font-variant-numeric: tabular-nums } table { border-spacing: 0 }
p, figure { margin: .3em 0 } .pictures { flex: 0 1 44em } .lanes { flex: 1 1 20em } code { background: none; padding: 0 } figure { overflow-x: auto } figcaption { font-weight: 600 }
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

/** @param {any[]} lanes @param {string} name @returns {boolean} whether every lane has the same value */
function isUniform(lanes, name) {
  return lanes.length > 1 && new Set(lanes.map((lane) => (lane.values || {})[name])).size === 1;
}

/** @param {any[]} lanes @returns {string} */
function tableOf(lanes) {
  const names = [...new Set(lanes.flatMap((lane) => Object.keys(lane.values || {})))];
  const varying = names.filter((name) => !isUniform(lanes, name));
  const uniform = names.filter((name) => isUniform(lanes, name)).map((name) => `${name} = ${lanes[0].values[name]}`);
  const heads = ['lane', 'state', ...varying].map((name) => `<th>${escaped(name)}</th>`).join('');
  return (uniform.length ? `<p>The same in all lanes: <code>${escaped(uniform.join(', '))}</code></p>` : '') +
         `<table><tr>${heads}</tr>${lanes.map((lane) => rowOf(lane, varying)).join('')}</table>`;
}

/** @param {any} warp the answer to cudalab/warp, or `lines` that say why there is none @param {string} nonce of the style
 *  @returns {string} */
function warpPage(warp, nonce) {
  const [title = ''] = warp.lines || [];  // the lines after it are for terminals
  return '<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" ' +
         `content="default-src 'none'; style-src 'nonce-${escaped(nonce)}'"><style nonce="${escaped(nonce)}">` +
         `${STYLE}</style></head><body><h1>${escaped(title)}</h1>` +
         ((warp.pictures || []).length ? `<div class="pictures">${warp.pictures.join('')}</div>` : '') +
         (warp.lanes ? `<div class="lanes">${tableOf(warp.lanes)}</div>` : '') + '</body></html>';
}

module.exports = { warpPage };
