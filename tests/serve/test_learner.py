"""The actions of a learner in the workbook, in a real browser: read, edit, check, ask, run, compare, in three languages.

Pictures of the pages stay in $CUDALAB_PICTURES if that is set. If $CUDALAB_AXE names the file axe.min.js of the package
axe-core, its rules are checked, too.
"""
import base64
import json
import os
import pathlib
import re
import time
import unittest

import browser
from server import Workbook

PICTURES = os.environ.get("CUDALAB_PICTURES")
AXE = os.environ.get("CUDALAB_AXE")
LABS = pathlib.Path(__file__).parents[2] / "labs"
TODO = "        // TODO: one line: copy element [row][column] of in to element [column][row] of out.\n"
WRONG = "        out[column * rows + row] = in[(row + 1) % rows * columns + column];\n"
RIGHT = "        out[column * rows + row] = in[row * columns + column];\n"
RIGHT_FILE = (LABS / "transpose/exercise/first-transpose/starter.cu").read_text().replace(TODO, RIGHT)
SCALE = 'extern "C" __global__ void scale(float* a, int n) { int i = STEP * (blockIdx.x * blockDim.x + threadIdx.x); if (i < n) a[i] *= 2; }\n'
EDITOR = "document.querySelector('#work .editor')?.editor"  # of web/editor.js: CodeMirror, or a plain text area
RESULT = "document.querySelector('#work .result')"
AXE_LIKE = """(() => {
  const problems = [], visible = each => each.offsetParent !== null;
  for (const each of document.querySelectorAll('button, a, input, select, textarea, summary, iframe')) {
    if (!visible(each)) continue;
    const name = each.getAttribute('aria-label') || each.title || each.labels?.[0]?.textContent || each.textContent;
    if (!name.trim()) problems.push('no name: ' + each.outerHTML.slice(0, 100));
  }
  for (const id of ['top', 'course', 'handout', 'work']) if (!document.getElementById(id)) problems.push('no part ' + id);
  for (const id of ['course', 'handout', 'work']) if (!document.getElementById(id).getAttribute('aria-label')) problems.push('no label: ' + id);
  const ids = [...document.querySelectorAll('[id]')].map(each => each.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push('twice: ' + id);
  if ([...document.querySelectorAll('main')].filter(each => each.checkVisibility({checkOpacity: false}) || getComputedStyle(each).display === 'contents').length !== 1) problems.push('not one main');
  for (const each of document.querySelectorAll('summary a, summary button, a button, label button')) problems.push('nested: ' + each.outerHTML.slice(0, 100));
  for (const each of document.querySelectorAll('[aria-labelledby], [aria-describedby]'))
    for (const id of `${each.getAttribute('aria-labelledby') ?? ''} ${each.getAttribute('aria-describedby') ?? ''}`.split(' '))
      if (id && !document.getElementById(id)) problems.push('refers to nothing: ' + id);
  for (const each of document.querySelectorAll('pre, .scroll, .listing'))
    if (visible(each) && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== 'visible' && each.tabIndex < 0 && each.ariaHidden !== 'true')
      problems.push('scrolls without the keyboard: ' + each.outerHTML.slice(0, 100));
  const rgb = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const back = each => {
    for (let at = each; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  for (const each of document.querySelectorAll('body *')) {
    const own = [...each.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !visible(each) || each.tagName === 'TEXTAREA' || each.tagName === 'OPTION') continue;
    const a = light(rgb(getComputedStyle(each).color)), b = light(back(each));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)}: ${each.outerHTML.slice(0, 100)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push('wider than the window');
  if (document.documentElement.scrollHeight > innerHeight) problems.push('higher than the window');
  return problems;
})()"""


@unittest.skipUnless(browser.program(), "no Chromium here; install the package chromium")
class InABrowser(unittest.TestCase):
    language = "C.UTF-8"

    def setUp(self):
        self.book = Workbook(language=self.language)
        self.addCleanup(self.book.close)
        self.page = browser.Browser()
        self.addCleanup(self.page.close)
        self.page.size(1280, 900)
        self.page.open(self.book.url)
        self.page.wait(f"Boolean({EDITOR})")

    def tearDown(self):
        self.assertEqual(self.page.complaints, [])

    def go(self, where, there):
        self.page.value(f"location.hash = {json.dumps('#/' + where)}")
        self.page.wait(f"document.querySelector('#work .file')?.textContent.includes({json.dumps(there)}) && {EDITOR}.text !== ''")

    def replace(self, old, new):
        """Selects a text in the editor, and replaces it by typing."""
        self.page.value(f"(() => {{ const editor = {EDITOR}, at = editor.text.indexOf({json.dumps(old)}); if (at < 0) throw new Error('not there'); "
                        f"editor.select(at, at + {len(old)}); }})()")
        self.page.call("Input.insertText", text=new)

    def own_file(self, name, text):
        """Puts a file into the folder, as another editor does, and opens it."""
        (self.book.folder / name).write_text(text)
        self.page.wait(f"[...document.querySelectorAll('#course a')].some(each => each.innerText === {json.dumps(name)})", seconds=10)
        self.go(f"file/{name}", name)

    def check(self):
        """Presses Ctrl-Enter, and returns the verdict."""
        self.page.value(f"{RESULT}.replaceChildren()")
        self.page.key("Enter", number=13, modifiers=2)
        return self.verdict()

    def verdict(self):
        return self.page.wait(f"{RESULT}.querySelector('.verdict')?.textContent")

    def text(self, selector):
        return self.page.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def picture(self, name):
        if PICTURES:
            self.page.picture(pathlib.Path(PICTURES) / f"{name}.png")

    def assert_accessible(self, where):
        self.assertEqual(self.page.value(AXE_LIKE), [], where)
        if AXE:
            if not self.page.value("Boolean(window.axe)"):
                self.page.value(pathlib.Path(AXE).read_text() + ";undefined")
            found = self.page.value("axe.run().then(all => all.violations.map(rule => [rule.id, rule.nodes.map(node => node.html.slice(0, 120))]))")
            self.assertEqual(found, [], where)

    def is_plain(self):
        """A build without the bundle of scripts/editor has a text area: no marks, and Tab leaves it."""
        return self.page.value("Boolean(document.querySelector('#work .editor textarea'))")

    def assert_marked_lines(self, lines):
        """The lines with a mark in the gutter."""
        if self.is_plain():
            return
        top = "each => Math.round(each.getBoundingClientRect().top)"
        self.page.wait(f"(() => {{ const tops = [...document.querySelectorAll('#work .cm-lint-marker-error')].map({top}); "
                       f"return JSON.stringify([...document.querySelectorAll('#work .cm-lineNumbers .cm-gutterElement')].filter(each => each.textContent && "
                       f"tops.some(at => Math.abs(at - ({top})(each)) < 12)).map(each => Number(each.textContent))) === {json.dumps(json.dumps(lines, separators=(',', ':')))}; }})()")

    def on_disk(self, path):
        return (self.book.folder / path).read_text()

    def progress(self, exercise):
        return json.loads(self.on_disk("cudalab.json"))["exercises"][exercise]


class Learner(InABrowser):
    def test_a_learner_edits_wrongly_reads_why_and_passes(self):
        self.assertNotIn("token", self.page.value("location.href"))
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, WRONG)
        self.assertEqual(self.check(), "Not yet passed")
        self.assertIn("right results", self.text("#work .parts .missed"))
        self.assertEqual(self.on_disk("transpose/first-transpose.cu").count(WRONG), 1)
        self.assert_marked_lines([1 + RIGHT_FILE.split("\n").index(RIGHT.rstrip())])
        self.picture("wrong")
        self.page.value("[...document.querySelectorAll('#work .result button.link')][0].click()")
        self.assertIn("out[column * rows", self.page.value("getSelection().toString()"))
        self.page.click("Tables, pictures and lines")
        self.page.wait("document.querySelector('#work .result iframe')")
        self.replace(WRONG, RIGHT)
        self.assert_marked_lines([])
        self.assertEqual(self.check(), "Passed")
        self.picture("passed")
        self.assertNotEqual(self.progress("first-transpose")["passed"], "")
        self.assertEqual(self.progress("first-transpose")["checks"], 2)
        self.page.wait("document.querySelector('#top').innerText.includes('1 of')")
        self.page.wait("document.querySelector('#course .passed')?.innerText.includes('first-transpose')")
        self.page.click("Solution")
        self.page.wait(f"{RESULT}.querySelector('.editor')?.editor.text.includes('out[column')")
        self.assertEqual(self.page.dialogs, [])

    def test_a_file_that_does_not_compile_has_its_line(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, "        out[column * rows + row] = inn[0];\n")
        self.assertEqual(self.check(), "Not yet passed")
        self.assert_marked_lines([1 + RIGHT_FILE.split("\n").index(RIGHT.rstrip())])
        self.assertIn("inn", self.text("#work .result"))

    def test_hints_come_one_by_one_and_then_the_line(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, WRONG)
        for count in (1, 2, 3):
            self.page.click("Hint")
            self.page.wait(f"document.querySelectorAll('#work .hints li').length === {count}")
        self.page.click("Hint")
        self.page.wait(f"{RESULT}.innerText.includes('in[(row + 1)')", seconds=120)
        self.assertEqual(self.progress("first-transpose")["hints"], 3)

    def test_start_over_keeps_the_learners_version(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, WRONG)
        self.page.click("Start over")
        self.page.wait(f"{EDITOR}.text.includes('TODO')")
        self.assertIn(WRONG, self.on_disk("transpose/first-transpose.cu.old"))
        self.assertEqual(len(self.page.dialogs), 1)

    def test_files_changed_outside_show_at_once(self):
        self.go("exercise/padded-tile", "padded-tile")
        (self.book.folder / "transpose/padded-tile.cu").write_text("// from another editor\n")
        self.page.wait(f"{EDITOR}.text === '// from another editor\\n'", seconds=10)

    def test_two_editors_at_the_same_time_lose_nothing(self):
        self.go("exercise/padded-tile", "padded-tile")
        file = self.book.folder / "transpose/padded-tile.cu"
        # Both changes are made before the page notices the other one.
        self.page.value("window.held = window.fetch; window.fetch = (path, options) => options?.method === 'PUT' ? new Promise(go => setTimeout(go, 1500))"
                        ".then(() => window.held(path, options)) : window.held(path, options)")
        self.replace("__global__", "/* mine */ __global__")
        time.sleep(0.6)
        file.write_text("// theirs\n")
        self.page.wait("document.querySelector('#work .notice button')", seconds=10)
        self.assertEqual(file.read_text(), "// theirs\n")
        self.page.complaints.clear()  # the browser reports the refused request
        self.page.click("Keep mine")
        self.page.wait("document.querySelector('#work .notice').innerText === ''", seconds=10)
        self.assertIn("/* mine */", file.read_text())

    def edit_without_the_server(self):
        self.go("exercise/padded-tile", "padded-tile")
        self.book.end()
        self.page.wait("document.querySelector('#banner').innerText.includes('not reachable')", seconds=10)
        self.replace("__global__", "/* late */ __global__")
        self.page.wait("Object.keys(localStorage).some(key => key.includes('padded-tile'))")
        self.assertNotIn("/* late */", self.on_disk("transpose/padded-tile.cu"))

    def test_an_edit_survives_a_restart_of_the_server(self):
        self.edit_without_the_server()
        self.book.start_again()
        self.page.wait("document.querySelector('#banner').hidden", seconds=20)
        self.page.wait("document.querySelector('#work .notice').innerText === ''", seconds=10)
        self.page.complaints.clear()  # the browser reports each request that failed
        self.assertIn("/* late */", self.on_disk("transpose/padded-tile.cu"))
        self.page.wait("!Object.keys(localStorage).some(key => key.includes('draft'))", seconds=10)

    def test_an_edit_survives_a_restart_of_server_and_browser(self):
        self.edit_without_the_server()
        self.page.open("about:blank")
        file = self.book.folder / "transpose/padded-tile.cu"
        file.write_text("// theirs, meanwhile\n")
        self.book.start_again()
        self.page.open(self.book.url)
        self.page.wait(f"Boolean({EDITOR})")
        self.go("exercise/padded-tile", "padded-tile")
        self.page.wait("document.querySelector('#work .notice button')", seconds=10)
        self.page.complaints.clear()  # the browser reports the refused request
        self.assertEqual(file.read_text(), "// theirs, meanwhile\n")
        self.assertIn("/* late */", self.page.value(f"{EDITOR}.text"))
        self.page.click("Keep mine")
        self.page.wait("document.querySelector('#work .notice').innerText === ''", seconds=10)
        self.assertIn("/* late */", file.read_text())

    def test_two_tabs_are_one_state(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.page.new_tab()
        self.page.size(1280, 900)
        self.page.open(self.book.url)
        self.page.wait(f"Boolean({EDITOR})")
        self.go("exercise/first-transpose", "first-transpose")
        for tab, old, new in ((1, TODO, WRONG), (0, WRONG, RIGHT), (1, RIGHT, RIGHT + "// done\n")):
            self.page.use_tab(tab)
            self.replace(old, new)
            self.page.use_tab(1 - tab)
            self.page.wait(f"{EDITOR}.text.includes({json.dumps(new)})", seconds=10)
        self.page.use_tab(1)
        self.assertEqual(self.check(), "Passed")
        self.page.use_tab(0)
        self.page.wait("document.querySelector('#course .passed')?.innerText.includes('first-transpose')", seconds=10)
        self.assertEqual(self.page.value("[...document.querySelectorAll('.notice')].map(each => each.innerText).join('')"), "")

    def test_a_command_of_the_handout_runs_in_place(self):
        self.page.value("location.hash = '#/lab/transpose'")
        form = "document.querySelector('#handout form.command')"
        self.page.wait(f"{form}?.querySelector('input').value.includes('transpose')")
        self.page.value(f"{form}.querySelector('input').value = 'cudalab transpose --rows 64 --cols 64 --stage naive,padded'")
        self.page.value(f"{form}.requestSubmit()")
        self.page.wait(f"{form}.querySelector('pre.output')?.innerText.includes('padded')")
        self.page.value(f"{form}.querySelector('details.page').open = true")
        self.page.wait(f"{form}.querySelector('iframe')")
        self.page.value(f"{form}.scrollIntoView()")
        time.sleep(0.5)
        self.picture("command")
        self.page.value(f"{form}.querySelector('input').value = 'rm -rf /'")
        self.page.value(f"{form}.requestSubmit()")
        self.page.wait(f"{form}.querySelector('.verdict.fail')")

    def test_questions_have_answers_and_the_quiz_is_marked(self):
        self.page.value("location.hash = '#/lab/transpose'")
        self.page.wait("document.querySelector('#handout h2')?.innerText === 'Transpose'")
        self.assertEqual(self.text("#handout .questions .answer"), "")
        self.page.click("Show the answer")
        self.page.wait("document.querySelector('#handout .questions .answer').innerText.length > 20")
        count = self.page.value("document.querySelectorAll('#handout fieldset').length")
        self.page.value("document.querySelectorAll('#handout fieldset').forEach(box => box.querySelector('input').click())")
        self.page.click("Check the answers")
        self.page.wait("document.querySelector('#handout .score').innerText.includes('right')")
        right, wrong = (self.page.value(f"document.querySelectorAll('#handout fieldset.{kind}').length") for kind in ("right", "wrong"))
        self.assertEqual(right + wrong, count)
        quiz = json.loads(self.on_disk("cudalab.json"))["quizzes"]["transpose"]
        self.assertEqual((quiz["right"], quiz["of"]), (right, count))
        self.page.value("document.querySelector('#handout .quiz').scrollIntoView()")
        self.picture("quiz")

    def test_a_lesson_shows_the_number_and_the_reasons_after_the_prediction(self):
        self.page.value("location.hash = '#/lesson/transpose'")
        self.page.wait("document.querySelector('#handout form.prediction')")
        forms = "[...document.querySelectorAll('#handout form.prediction')]"
        self.assertEqual(self.page.value(f"{forms}.length"), 1)
        self.assertNotIn("32 sectors", self.text("#handout"))

        def predict(answer):
            self.page.value(f"{forms}.at(-1).querySelector('input').value = {json.dumps(answer)}; {forms}.at(-1).requestSubmit()")

        predict("many")
        self.page.wait(f"{forms}[0].querySelector('.verdict.fail')?.innerText.includes('number')")
        self.page.complaints.clear()  # the browser reports the refused request
        predict("32")
        self.page.wait(f"{forms}[0].querySelector('.verdict.pass')?.innerText.includes('32 sectors')")
        self.assertIn("cudalab transpose --stage naive", self.page.value(f"{forms}[0].innerText"))
        self.assertIn("no two of them lie in the same sector", self.page.value(f"{forms}[0].innerText"))
        self.assertEqual(self.page.value("document.activeElement.className"), "verdict pass")
        self.picture("lesson")
        self.page.wait(f"{forms}.length === 2")
        predict("31")
        self.page.wait(f"{forms}[1].querySelector('.verdict.fail')")
        self.go("exercise/first-transpose", "first-transpose")  # leaves the lesson where it is
        self.page.wait(f"{forms}.length === 3")
        self.page.value("location.hash = '#/lesson/transpose'")  # and a lesson leaves the work
        self.page.wait("document.querySelector('#course [aria-current]').innerText === 'Lesson'")
        self.assertTrue(self.page.value(f"{EDITOR}.text.includes('TODO')"))
        for count in (3, 4, 5):
            self.page.wait(f"{forms}.length === {count}")
            self.page.click("I do not know", f"{forms}.at(-1)")
        self.page.wait("document.querySelector('#handout .score')?.innerText.includes('1/5')")
        self.page.wait("document.querySelector('#handout .quiz')")

    def test_debug_shows_the_lines_and_variables_of_a_warp(self):
        self.go("exercise/padded-tile", "padded-tile")
        solution = (LABS / "transpose/exercise/padded-tile/solution.cu").read_text()
        (self.book.folder / "transpose/padded-tile.cu").write_text(solution)
        self.page.wait(f"{EDITOR}.text.includes('__syncthreads')", seconds=10)
        lines = solution.splitlines()
        self.page.click("Debug")
        self.page.wait("document.querySelector('#work .debug li.now')")
        self.page.value("document.querySelector('#work .debug').dataset.case = 1")
        self.page.value("document.querySelector('#debug-case').value = '2'; document.querySelector('#work form.warp').requestSubmit()")
        self.page.wait("document.querySelector('#work .debug:not([data-case]) li.now')")
        self.assertTrue(self.page.value("document.querySelector('#work .debug').contains(document.activeElement)"))
        now = "document.querySelector('#work .debug li.now')?.innerText"
        facts = "document.querySelector('#work .debug .facts').innerText"
        first = self.page.value(facts)
        self.page.key("ArrowRight", number=39)
        self.assertNotEqual(self.page.value(facts), first)
        self.page.key("ArrowLeft", number=37)
        self.assertEqual(self.page.value(facts), first)
        self.page.click("Next barrier")
        self.assertIn("__syncthreads", self.page.value(now))
        self.assertIn("arrives at a barrier", self.page.value(facts))
        self.assertIn("active lanes: 0-31", self.page.value(facts))
        self.picture("debug")
        rows = "[...document.querySelectorAll('#work .debug tbody tr')]"
        self.assertEqual(self.page.value(f"{rows}.length"), 32)
        names = self.page.value("[...document.querySelectorAll('#work .debug thead th')].map(each => each.innerText)")
        column = names.index("column")
        self.assertEqual(self.page.value(f"{rows}.map(row => Number(row.children[{column}].innerText))"), list(range(32)))
        self.page.key("$", number=52)
        self.page.wait(f"{facts}.includes('end of the warp')")
        self.page.value("document.querySelector('#debug-block').value = '1,0,0'; document.querySelector('#debug-warp').value = '2'")
        self.page.value("document.querySelector('#work form.warp').requestSubmit()")
        self.page.wait("document.querySelector('#debug-title')?.innerText.includes('warp 2')")
        self.page.click("Next barrier")
        self.assertEqual(self.page.value(f"{rows}.map(row => Number(row.children[{column}].innerText))"), list(range(32, 64)))
        self.assertEqual(lines.index(self.page.value(now)) + 1, 1 + lines.index("    __syncthreads();"))

    def test_debug_starts_at_the_first_hazard_and_marks_lanes_that_are_not_active(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, "        if (threadIdx.x < 5) out[size_t(columns) * rows + column] = in[0];\n")
        self.page.click("Debug")
        self.page.wait("document.querySelector('#work .debug li.now')")
        self.page.value("document.querySelector('#debug-case').value = '3'")
        self.page.click("First hazard")
        self.page.wait("document.querySelector('#work .debug .complaint')")
        self.assertIn("threadIdx.x < 5", self.page.value("document.querySelector('#work .debug li.now').innerText"))
        self.assertEqual(self.page.value("document.querySelectorAll('#work .debug tr.active').length"), 10)
        self.assertIn("active lanes: 0-4, 16-20", self.text("#work .debug .facts"))
        self.picture("debug-hazard")

    def press_line(self, line):
        """Presses the mouse on the line's number in the editor's gutter; F9 in a plain text area."""
        if self.is_plain():
            self.page.value(f"(() => {{ const start = {EDITOR}.text.split('\\n').slice(0, {line - 1}).join('\\n').length + 1; {EDITOR}.select(start, start); }})()")
            return self.page.key("F9", number=120)
        self.page.value(f"(() => {{ const start = {EDITOR}.text.split('\\n').slice(0, {line - 1}).join('\\n').length + 1; {EDITOR}.select(start, start); }})()")
        number = f"[...document.querySelectorAll('#work .cm-lineNumbers .cm-gutterElement')].find(each => each.textContent === '{line}')"
        self.page.wait(f"({number})?.getBoundingClientRect().height > 0")
        self.page.press_at(number)

    def test_debug_stops_at_breakpoints(self):
        self.go("exercise/padded-tile", "padded-tile")
        solution = (LABS / "transpose/exercise/padded-tile/solution.cu").read_text()
        (self.book.folder / "transpose/padded-tile.cu").write_text(solution)
        self.page.wait(f"{EDITOR}.text.includes('__syncthreads')", seconds=10)
        lines = solution.splitlines()
        barrier, comment, store = (1 + next(i for i, line in enumerate(lines) if part in line)
                                   for part in ("__syncthreads", "// The corresponding", "out[size_t(row)"))
        self.press_line(barrier)
        self.press_line(store)
        self.press_line(store)  # again: removed
        self.assertEqual(self.page.value(f"{EDITOR}.breakpoints"), [barrier])
        self.press_line(comment)
        self.page.value("document.querySelector('#work .toolbar button:nth-child(2)').focus()")
        self.page.click("Debug")
        now = "document.querySelector('#work .debug li.now')?.innerText"
        self.page.wait(now)
        self.assertIn("__syncthreads", self.page.value(now))
        stops = "[...document.querySelectorAll('#work .debug li.stop')].map(each => each.innerText)"
        self.assertEqual(self.page.value(stops), [lines[barrier - 1], lines[comment]])  # a comment has no code, the line after it has
        self.assertEqual(self.page.value(f"{EDITOR}.breakpoints"), [barrier, comment + 1])
        self.picture("breakpoints")
        self.page.click("Next breakpoint")
        self.assertEqual(self.page.value(now), lines[comment])
        self.page.key("C", text="C")
        self.assertIn("__syncthreads", self.page.value(now))
        self.page.key("F9", number=120)  # at the current line
        self.assertEqual(self.page.value(f"{EDITOR}.breakpoints"), [comment + 1])
        self.assertEqual(self.page.value(stops), [lines[comment]])
        # After the last one of this warp, the next warp that executes the line.
        for title in ("warp 0", "warp 1", "warp 2"):
            self.page.value("document.querySelector('#work .debug').focus()")
            self.page.key("c", text="c")
            self.page.wait(f"document.querySelector('#debug-title')?.innerText.includes('{title}') && {now} === {json.dumps(lines[comment])}", seconds=20)
        # They move with their lines, and stay when the page is loaded again.
        self.replace("// Transpose through", "//\n// Transpose through")
        self.assertEqual(self.page.value(f"{EDITOR}.breakpoints"), [comment + (1 if self.is_plain() else 2)])
        self.page.wait("!Object.keys(localStorage).some(key => key.includes('draft'))", seconds=10)
        self.page.open(self.book.url)
        self.page.wait(f"Boolean({EDITOR})")
        self.go("exercise/padded-tile", "padded-tile")
        self.page.wait(f"{EDITOR}.breakpoints.length === 1")

    def test_a_breakpoint_is_found_in_the_block_that_executes_it(self):
        self.go("exercise/first-transpose", "first-transpose")
        guarded = "        if (blockIdx.x == 2)\n            out[0] = in[0];\n"
        self.replace(TODO, guarded)
        text = self.page.value(f"{EDITOR}.text")
        self.press_line(1 + text[:text.index("out[0]")].count("\n"))
        self.page.value("document.querySelector('#work .debug')?.remove()")
        self.page.click("Debug")  # the first case has one block
        self.page.wait(f"{RESULT}.querySelector('.debug li.now') && {RESULT}.innerText.includes('no further warp')")
        self.page.value("document.querySelector('#work .debug').dataset.case = 1")
        self.page.value("document.querySelector('#debug-case').value = '3'; document.querySelector('#work form.warp').requestSubmit()")
        self.page.wait("document.querySelector('#work .debug:not([data-case]) li.now')")
        self.page.click("Next breakpoint")
        self.page.wait("document.querySelector('#debug-title')?.innerText.includes('2,0,0')", seconds=20)
        self.assertIn("out[0]", self.page.value("document.querySelector('#work .debug li.now').innerText"))

    def test_debug_says_why_a_kernel_does_not_compile(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, "        out[0] = inn[0];\n")
        self.page.click("Debug")
        self.page.wait(f"{RESULT}.innerText.includes('inn')")

    def test_options_of_an_own_kernel_are_listed_and_chosen(self):
        self.own_file("scale.cu", SCALE)
        work = "document.querySelector('#work')"
        self.page.click("Run", work)
        self.page.click("Use these options", work)
        line = "document.querySelector('#options').value"
        self.page.wait(f"{line}.startsWith('--kernel scale --grid')")
        self.page.value("document.querySelector('#work details.options').open = true")
        self.page.wait("document.querySelector('#work .options input[aria-label=\"--block\"]')?.value === '256'")
        self.picture("options")
        self.page.value("(() => { const field = document.querySelector('#work .options input[aria-label=\"--block\"]'); field.value = '64'; field.dispatchEvent(new Event('change')); })()")
        self.page.wait(f"{line}.includes('--block 64 ')")
        self.page.value("document.querySelector('#work .options input[aria-label=\"--lines\"]').click()")
        self.page.wait(f"{line}.endsWith(' --lines')")

    def test_a_long_run_shows_its_time_and_can_be_cancelled(self):
        self.own_file("slow.cu", 'extern "C" __global__ void slow(volatile int* a) { for (int i = 0; i < 2000000000; ++i) a[0] = i; }\n')
        self.page.value("document.querySelector('#options').value = '--kernel slow --grid 1 --block 1 --arg buf:i32:1:zero'")
        self.page.click("Run", "document.querySelector('#work')")
        self.page.wait("/[1-9]/.test(document.querySelector('#work .progress')?.innerText)", seconds=20)
        self.picture("running")
        self.page.click("Cancel")
        self.assertEqual(self.verdict(), "cancelled")

    def test_what_a_kernel_prints_is_no_html(self):
        self.own_file("prints.cu", 'extern "C" __global__ void prints() { printf("<img src=x onerror=alert(1)>\\n"); }\n')
        self.page.value("document.querySelector('#options').value = '--kernel prints --grid 1 --block 1'")
        self.page.click("Run", "document.querySelector('#work')")
        self.page.wait(f"{RESULT}.innerText.includes('<img src=x')")
        self.assertEqual(self.page.value("document.querySelectorAll('#work img').length"), 0)
        self.assertEqual(self.page.dialogs, [])

    def test_the_keyboard_is_enough(self):
        self.page.key("Tab", number=9)
        self.assertEqual(self.page.value("document.activeElement.id"), "skip")
        self.page.value(f"{EDITOR}.focus()")
        if not self.is_plain():
            before = self.page.value(f"{EDITOR}.text.length")
            self.page.key("Tab", number=9)
            self.page.wait(f"{EDITOR}.text.length === {before + 4}")
            self.page.key("Escape", number=27)
        self.page.key("Tab", number=9)
        self.page.wait("document.activeElement.textContent === 'Check'")

    def test_pages_are_accessible_at_two_widths_light_and_dark(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, WRONG)
        self.assertEqual(self.check(), "Not yet passed")
        for width in (1280, 800):
            for is_dark in (False, True):
                self.page.size(width, 900)
                self.page.dark(is_dark)
                for part in ("course", "handout", "work") if width == 800 else ("work",):
                    if width == 800:
                        self.page.value(f"[...document.querySelectorAll('#top .tabs button')][{['course', 'handout', 'work'].index(part)}].click()")
                    time.sleep(0.2)
                    self.picture(f"{part}-{width}-{'dark' if is_dark else 'light'}")
                    self.assert_accessible((width, is_dark, part))


    def test_handout_and_work_are_printed_whole(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, WRONG)
        self.assertEqual(self.check(), "Not yet passed")
        for width in (1280, 800):
            self.page.size(width, 900)
            self.page.as_printed()
            for part in ("#handout", "#work", "#work .editor", "#work .result"):
                self.assertEqual(self.page.value(f"(each => [each.checkVisibility(), each.scrollHeight <= each.clientHeight + 2, each.scrollWidth <= innerWidth])"
                                                 f"(document.querySelector('{part}'))"), [True, True, True], (part, width))
            for part in ("#top", "#course", "#work .toolbar"):
                self.assertFalse(self.page.value(f"document.querySelector('{part}').checkVisibility()"), (part, width))
            self.picture(f"printed-{width}")
            self.page.as_printed(False)
        pages = base64.b64decode(self.page.call("Page.printToPDF")["data"])
        self.assertEqual(pages[:5], b"%PDF-")
        self.assertGreater(len(re.findall(rb"/Type\s*/Page\b", pages)), 2)

    def test_lessons_and_debugging_are_accessible(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, RIGHT)
        self.page.click("Debug")
        self.page.wait("document.querySelector('#work .debug li.now')")
        self.page.value("location.hash = '#/lesson/transpose'")
        self.page.wait("document.querySelector('#handout form.prediction')")
        self.page.click("I do not know", "document.querySelector('#handout')")
        self.page.wait("document.querySelectorAll('#handout form.prediction').length === 2")
        for width in (1280, 800):
            for is_dark in (False, True):
                self.page.size(width, 900)
                self.page.dark(is_dark)
                for part in ("handout", "work"):
                    if width == 800:
                        self.page.value(f"[...document.querySelectorAll('#top .tabs button')][{['course', 'handout', 'work'].index(part)}].click()")
                    time.sleep(0.2)
                    self.picture(f"lesson-{part}-{width}-{'dark' if is_dark else 'light'}")
                    self.assert_accessible((width, is_dark, part))


class Course(InABrowser):
    """From the handout to a comparison of two runs. Texts come from the server, so the steps are the same in all languages."""

    words_of_the_reason = "row"

    def test_a_learner_goes_through_a_lab(self):
        texts = self.book.json("GET", "/api/texts")[1]["texts"]
        name = self.page.value("document.documentElement.lang")
        handout, work = "document.querySelector('#handout')", "document.querySelector('#work')"

        self.page.value("location.hash = '#/lab/transpose'")
        form = f"{handout}.querySelector('form.command')"
        self.page.wait(f"{form}?.querySelector('input').value.includes('transpose')")  # not the handout before
        self.picture(f"{name}-1-handout")
        self.page.value(f"{form}.querySelector('input').value = 'cudalab transpose --rows 64 --cols 64 --stage naive,padded'")
        self.page.click(texts["run"], form)
        self.page.wait(f"{form}.querySelector('pre.output')?.innerText.includes('padded')")

        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, WRONG)
        self.assertEqual(self.check(), texts["not_yet"])
        self.assertIn(self.words_of_the_reason, self.text("#work .parts .missed"))
        self.assertTrue(self.page.value(f"{RESULT}.querySelector('.missed button.link').innerText"))
        self.picture(f"{name}-2-failing-check")
        self.replace(WRONG, RIGHT)
        self.assertEqual(self.check(), texts["passed"])
        self.assertEqual(self.progress("first-transpose")["checks"], 2)
        self.picture(f"{name}-3-passed")

        self.page.click(texts["debug"], work)
        self.page.wait(f"{work}.querySelector('.debug li.now')")
        self.page.click(texts["debug_next"], work)
        self.assertTrue(self.page.value(f"{work}.querySelectorAll('.debug tbody tr').length") in (0, 32))
        self.picture(f"{name}-4-debug")

        self.page.value(f"{handout}.querySelectorAll('fieldset').forEach(box => box.querySelector('input').click())")
        self.page.click(texts["mark_quiz"], handout)
        self.page.wait(f"{handout}.querySelector('.score').innerText && {handout}.querySelector('fieldset .why').innerText")
        self.assertEqual(list(json.loads(self.on_disk("cudalab.json"))["quizzes"]), ["transpose"])
        self.page.value(f"{handout}.querySelector('.quiz').scrollIntoView()")
        self.picture(f"{name}-5-quiz")

        self.own_file("scale.cu", SCALE)
        for step in (8, 1):
            self.page.value("document.querySelector('#options').value = "
                            f"'--kernel scale --grid 4 --block 256 --arg buf:f32:8192:iota --arg i32:8192 --define STEP={step}'")
            self.page.value(f"{RESULT}.replaceChildren()")
            self.page.click(texts["run"], work)
            self.page.wait(f"{RESULT}.querySelector('pre.output')")
        self.assertIn("STEP=8", self.page.value("document.querySelector('#before').selectedOptions[0].innerText"))
        self.page.value(f"{RESULT}.replaceChildren()")
        self.page.click(texts["compare"], work)
        self.page.wait(f"{RESULT}.querySelector('pre.output')?.innerText.match(/8192|scale/) && {RESULT}.querySelector('iframe')", seconds=20)
        time.sleep(0.5)
        self.picture(f"{name}-6-compare")


class CourseInChinese(Course):
    language = "zh_CN.UTF-8"
    words_of_the_reason = "行"

    def test_the_language_is_chosen_on_the_page(self):
        self.assertEqual(self.page.value("document.documentElement.lang"), "zh")
        self.go("exercise/first-transpose", "first-transpose")
        self.page.value("(() => { const choice = document.querySelector('#top select'); choice.value = 'ru'; choice.dispatchEvent(new Event('change')); })()")
        self.page.wait(f"document.documentElement.lang === 'ru' && Boolean({EDITOR})")
        self.assertIn("Проверить", self.text("#work .toolbar"))
        self.picture("russian")


if __name__ == "__main__":
    unittest.main()
