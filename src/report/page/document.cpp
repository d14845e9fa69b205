// A self-contained HTML page: one file with its style and its script, without requests to any network.
#include "report/page/document.h"

#include <fmt/format.h>

#include <cctype>

#include "core/languages/units.h"
#include "messages/report.h"
#include "report/pictures/renderers.h"

namespace cudalab::report {

// How pages look: light, dark, narrow and printed.

const std::string_view kPageStyle = R"css(
:root { --back: #fff; --text: #1b1f24; --dim: #5b6570; --rule: #d5dae0; --panel: #f4f6f8; --mark: #fff3c4;
  --good: #9fd3a8; --bad: #f0a39b; --faint: #e6e9ed; --plain: #8b98a5; --in: #14181c; --on: #fff;
  --link: #0b57b0;
  --c0: #2b6cb0; --c1: #c05621; --c2: #2f855a; --c3: #805ad5; --c4: #b7791f; --c5: #b83280;
  --badtext: #a61b12; --goodtext: #1c6b2f; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --text: #e4e8ec; --dim: #9aa5b1;
  --rule: #333a42;
  --panel: #1c2126; --mark: #4a3f14; --good: #2f6b3d; --bad: #8a352d; --faint: #272d34; --plain: #6b7885;
  --in: #f2f5f8; --on: #10151a;
  --link: #7db4f5; --c0: #63a4e8; --c1: #ed8a54; --c2: #55b685; --c3: #ab8cf0; --c4: #d9a441;
  --c5: #e06fb0; --badtext: #ff8a80; --goodtext: #7fd48f; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; max-width: 84rem; padding: 0 1rem 3rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
h1 { font-size: 1.6rem; margin: 1.2rem 0 .3rem; } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem;
  border-top: 1px solid var(--rule); padding-top: 1rem; } h3, h4 { font-size: 1.05rem;
  margin: .2rem 0 .3rem; } .request + .request { margin-top: 1.2rem; }
a { color: var(--link); } h1, h2, li { overflow-wrap: anywhere; } p { margin: .4rem 0; max-width: 48rem; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--back); }
header .facts { color: var(--dim); overflow-wrap: anywhere; }
.verdict { display: inline-block; font-weight: 600; padding: .05rem .6rem; border-radius: .3rem;
  border: 1px solid currentColor; } .pass { color: var(--goodtext); } .fail { color: var(--badtext); }
.not_assessed { color: var(--dim); }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; margin: .6rem 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums;
  margin: .5rem 0; }
th, td { padding: .2rem .7rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
td.text { text-align: left; white-space: normal; min-width: 14rem; }
.sortable th:first-child, .sortable td:first-child { position: sticky; left: 0; background: var(--back); }
th:first-child, td:first-child { text-align: left; } tbody th { font-weight: 500; }
th button { all: unset; cursor: pointer; font-weight: 600; } th button::after { content: " \2195";
  color: var(--dim); }
th[aria-sort=ascending] button::after { content: " \2191"; }
  th[aria-sort=descending] button::after { content: " \2193"; }
:focus-visible, th button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
figure { margin: .8rem 0 1.4rem; overflow-x: auto; } figcaption { font-weight: 600; margin-bottom: .3rem; }
.caption { color: var(--dim); font-size: .93rem; margin: .15rem 0; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; padding: 0;
  margin: .3rem 0; font-size: .9rem; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 2px; }
svg.picture { max-width: 100%; height: auto; font: 11px ui-monospace, "DejaVu Sans Mono", monospace;
  display: block; }
svg text { fill: var(--text); } svg .dim, svg .tick, svg .ytick, svg .xname { fill: var(--dim); }
svg .tick { text-anchor: middle; } svg .ytick, svg .xname, svg .end { text-anchor: end; }
svg .on, svg .on text { fill: var(--on) !important; }
svg .in, svg .in text { fill: var(--in); text-anchor: middle; font-size: 9px; }
  svg .code { white-space: pre; }
.shape { overflow-x: auto; } main section { content-visibility: auto; contain-intrinsic-size: auto 60rem; }
svg .grid { stroke: var(--rule); stroke-width: .7; fill: none; } svg .axis { stroke: var(--dim);
  fill: none; }
svg .gaps { stroke: var(--back); stroke-width: 1; fill: none; } svg .track { fill: var(--faint); }
  svg .line { fill: none !important; stroke-width: 1.8; }
  svg .span { stroke: var(--back); }
.t-good { fill: var(--good); background: var(--good); } .t-bad { fill: var(--bad); background: var(--bad); }
.t-faint { fill: var(--faint); background: var(--faint); } .t-plain { fill: var(--plain);
  background: var(--plain); }
.t-0 { fill: var(--c0); background: var(--c0); stroke: var(--c0); } .t-1 { fill: var(--c1);
  background: var(--c1); stroke: var(--c1); }
.t-2 { fill: var(--c2); background: var(--c2); stroke: var(--c2); } .t-3 { fill: var(--c3);
  background: var(--c3); stroke: var(--c3); }
.t-4 { fill: var(--c4); background: var(--c4); stroke: var(--c4); } .t-5 { fill: var(--c5);
  background: var(--c5); stroke: var(--c5); }
.line.t-faint { stroke: var(--plain); stroke-dasharray: 5 4; }
.kernel { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1.5rem;
  align-items: start; }
.listing { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; overflow-x: auto;
  background: var(--panel);
  border-radius: .4rem; padding: .4rem 0; max-height: 34rem; overflow-y: auto; }
.listing table { margin: 0; } .listing td { border: 0; padding: 0 .5rem; text-align: right;
  white-space: pre; }
.listing td.src { text-align: left; width: 100%; } .listing .n { color: var(--dim); }
.listing tr[role=button] { cursor: pointer; } .listing tr[role=button]:hover,
  .listing tr[aria-pressed=true] { background: var(--mark); }
.listing .c { color: var(--goodtext); } .listing .c.w { color: var(--badtext); font-weight: 600; }
.listing .b { width: 64px; min-width: 64px; } .listing .b i { display: block; height: .75em;
  margin-left: auto; }
.request .steps { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: center;
  font-size: .92rem; }
.request input[type=range] { width: 14rem; max-width: 100%; accent-color: var(--link); }
.hazard { border-left: 4px solid var(--bad); padding: .2rem .8rem; background: var(--panel); }
pre { overflow-x: auto; background: var(--panel); padding: .6rem; border-radius: .4rem; font-size: 13px;
  line-height: 1.35; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 0 1.5rem; }
.better { color: var(--goodtext); } .worse { color: var(--badtext); } .wrap { overflow-wrap: anywhere; }
[hidden] { display: none !important; }
@media (max-width: 56rem) { .kernel { grid-template-columns: minmax(0, 1fr); } body { font-size: 15px;
  padding: 0 .7rem 2rem; }
  .listing { max-height: 22rem; } }
@media (max-width: 30rem) { svg.picture { min-width: 0 !important; } .listing .b { display: none; }
  .listing td { padding: 0 .3rem; } td.text { min-width: 20rem; } }
@media print { :root { --back: #fff; --text: #000; --dim: #444; --panel: #fff; --rule: #aaa;
  --good: #9fd3a8; --bad: #f0a39b;
    --faint: #e6e9ed; --in: #000; }
  main section { content-visibility: visible; }
  nav, .steps input, .skip { display: none; } .listing { max-height: none; overflow: visible; }
  .listing td { white-space: pre-wrap; } .listing td.c { white-space: nowrap; }
  .scroll, figure, .shape { overflow: visible; } figure svg { max-width: 100%; height: auto; min-width: 0; }
  h1, h2, h3, h4 { break-after: avoid; }
  th, td { padding: .1rem .35rem; white-space: normal; font-size: 9pt; }
  body { max-width: none; font-size: 11pt; } figure, tr, .request { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)css";

// What pages do: tables sort, a line of a source shows its requests, a slider steps through them. Without it
// everything is shown.

const std::string_view kPageScript = R"js('use strict';
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
)js";

namespace {

// Nothing may be loaded from anywhere, whatever the page holds.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

std::string navigation(const std::vector<PageSection>& sections, const Wording& wording) {
  std::string text = fmt::format("<nav aria-label=\"{}\"><ul>", html(wording.say(msg::page_contents())));
  for (const PageSection& section : sections)
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, html(section.title));
  return text + "</ul></nav>\n";
}

}  // namespace

std::string anchor(std::string_view name) {
  std::string made;
  for (const char c : name)
    made += std::isalnum(static_cast<unsigned char>(c))
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
  return made;
}

std::string page_html(const Page& page, const Wording& wording) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "</head>\n<body>\n<a class=\"skip\" href=\"#main\">{}</a>\n<header>\n<h1>{}</h1>\n{}</header>\n",
      name_in(kLanguages, wording.language()), kPolicy, html(page.title), kPageStyle,
      html(wording.say(msg::page_skip())), html(page.title), page.head);
  text += navigation(page.sections, wording) + "<main id=\"main\">\n";
  for (const PageSection& section : page.sections)
    text += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
        section.id, html(section.title), section.body);
  return text + fmt::format("</main>\n<script>\n{}</script>\n</body>\n</html>\n", kPageScript);
}

std::string table_html(const std::vector<std::string>& headings,
                       const std::vector<std::vector<PageCell>>& rows) {
  std::string text = "<div class=\"scroll\"><table class=\"sortable\"><thead><tr>";
  for (const std::string& heading : headings)
    text += fmt::format("<th scope=\"col\"><button type=\"button\">{}</button></th>", html(heading));
  text += "</tr></thead><tbody>\n";
  for (const std::vector<PageCell>& row : rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const PageCell& cell = row[i];
      const std::string sort =
          cell.sort_by.empty() ? "" : fmt::format(" data-sort=\"{}\"", html(cell.sort_by));
      const std::string style = cell.style.empty() ? "" : fmt::format(" class=\"{}\"", cell.style);
      const std::string_view tag = i == 0 ? "th scope=\"row\"" : "td";
      text += fmt::format("<{}{}{}>{}</{}>", tag, sort, style, html(cell.text), i == 0 ? "th" : "td");
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string sentence_html(const std::string& text, Language language) {
  return text.empty() ? "" : html(as_sentence(text, language));
}

std::string list_html(const std::vector<std::string>& sentences, Language language) {
  if (sentences.empty()) return "";
  std::string text = "<ul class=\"sentences\">\n";
  for (const std::string& sentence : sentences)
    text += fmt::format("<li>{}</li>\n", sentence_html(sentence, language));
  return text + "</ul>\n";
}

}  // namespace cudalab::report
