'use strict';
const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));

// ---- tables ----
function keyOf(row, column) {
  const cell = row.cells[column], key = cell.dataset.sort ?? cell.textContent.trim(), number = Number(key);
  return key === '' || key === '-' ? null : Number.isNaN(number) ? key : number;
}
function compare(a, b) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}
function sortBy(table, column) {
  const heading = table.tHead.rows[0].cells[column], down = heading.getAttribute('aria-sort') === 'ascending';
  all('th', table.tHead).forEach(other => other.removeAttribute('aria-sort'));
  heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const body = table.tBodies[0];
  Array.from(body.rows)
    .map((row, place) => ({row, place, key: keyOf(row, column)}))
    .sort((a, b) => {
      const order = a.key === null || b.key === null || !down ? compare(a.key, b.key) : compare(b.key, a.key);
      return order || a.place - b.place;
    })
    .forEach(entry => body.appendChild(entry.row));
}
all('table.sortable').forEach(table => all('th button', table.tHead).forEach((button, column) =>
  button.addEventListener('click', () => sortBy(table, column))));

// ---- requests ----
function showStep(request, step) {
  const steps = JSON.parse(request.dataset.steps), [shape, place] = steps[step];
  all('.shape', request).forEach((one, number) => { one.hidden = number !== shape; });
  const output = request.querySelector('output');
  if (output) output.textContent = place;
  const slider = request.querySelector('input[type=range]');
  if (slider) slider.setAttribute('aria-valuetext', place);
}
all('.request').forEach(request => {
  const slider = request.querySelector('input[type=range]');
  if (slider) slider.addEventListener('input', () => showStep(request, Number(slider.value)));
  showStep(request, slider ? Number(slider.value) : 0);
});

function showLine(kernel, line) {
  all('.request', kernel).forEach(request => { request.hidden = request.dataset.line !== line; });
  all('.listing tr[role=button]', kernel).forEach(row =>
    row.setAttribute('aria-pressed', String(row.dataset.line === line)));
}
all('.kernel').forEach(kernel => {
  const rows = all('.listing tr[role=button]', kernel);
  rows.forEach(row => {
    row.addEventListener('click', () => showLine(kernel, row.dataset.line));
    row.addEventListener('keydown', event => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      showLine(kernel, row.dataset.line);
    });
  });
  const first = kernel.dataset.line;
  if (first && rows.some(row => row.dataset.line === first)) showLine(kernel, first);
});

// ---- paper ----
let hiddenBefore = [];
window.addEventListener('beforeprint', () => {
  hiddenBefore = all('.request[hidden]');
  hiddenBefore.forEach(request => { request.hidden = false; });
});
window.addEventListener('afterprint', () => hiddenBefore.forEach(request => { request.hidden = true; }));
