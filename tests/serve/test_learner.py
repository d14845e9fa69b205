"""The actions of a learner in the workbook, in a real browser: read, edit, check, ask, run, compare, in three languages.

Pictures of the pages stay in $CUDALAB_PICTURES if that is set.
"""
import json
import os
import pathlib
import time
import unittest

import browser
from server import Workbook

PICTURES = os.environ.get("CUDALAB_PICTURES")
TODO = "        // TODO: one line: copy element [row][column] of in to element [column][row] of out.\n"
WRONG = "        out[column * rows + row] = in[(row + 1) % rows * columns + column];\n"
RIGHT = "        out[column * rows + row] = in[row * columns + column];\n"
EDITOR = "document.querySelector('#work textarea')"
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
        self.page.wait(EDITOR)

    def tearDown(self):
        self.assertEqual(self.page.complaints, [])

    def go(self, where, there):
        self.page.value(f"location.hash = {json.dumps('#/' + where)}")
        self.page.wait(f"document.querySelector('#work .file')?.textContent.includes({json.dumps(there)}) && {EDITOR}.value !== ''")

    def replace(self, old, new):
        """Selects a text in the editor, and replaces it by typing."""
        self.page.value(f"(() => {{ const area = {EDITOR}, at = area.value.indexOf({json.dumps(old)}); if (at < 0) throw new Error('not there'); area.focus(); "
                        f"area.setSelectionRange(at, at + {len(old)}); document.execCommand('insertText', false, {json.dumps(new)}); }})()")

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
        self.page.wait("document.querySelector('#work .gutter .bad')")
        self.picture("wrong")
        self.page.value("[...document.querySelectorAll('#work .result button.link')][0].click()")
        self.assertIn("out[column * rows", self.page.value(f"{EDITOR}.value.slice({EDITOR}.selectionStart, {EDITOR}.selectionEnd)"))
        self.page.click("Tables, pictures and lines")
        self.page.wait("document.querySelector('#work .result iframe')")
        self.replace(WRONG, RIGHT)
        self.assertEqual(self.page.value("document.querySelectorAll('#work .gutter .bad').length"), 0)
        self.assertEqual(self.check(), "Passed")
        self.picture("passed")
        self.assertNotEqual(self.progress("first-transpose")["passed"], "")
        self.assertEqual(self.progress("first-transpose")["checks"], 2)
        self.page.wait("document.querySelector('#top').innerText.includes('1 of')")
        self.page.wait("document.querySelector('#course .passed')?.innerText.includes('first-transpose')")
        self.page.click("Solution")
        self.page.wait(f"{RESULT}.querySelector('textarea')?.value.includes('out[column')")
        self.assertEqual(self.page.dialogs, [])

    def test_a_file_that_does_not_compile_has_its_line(self):
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, "        out[column * rows + row] = inn[0];\n")
        self.assertEqual(self.check(), "Not yet passed")
        self.page.wait("document.querySelector('#work .gutter .bad')")
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
        self.page.wait(f"{EDITOR}.value.includes('TODO')")
        self.assertIn(WRONG, self.on_disk("transpose/first-transpose.cu.old"))
        self.assertEqual(len(self.page.dialogs), 1)

    def test_files_changed_outside_show_at_once(self):
        self.go("exercise/padded-tile", "padded-tile")
        (self.book.folder / "transpose/padded-tile.cu").write_text("// from another editor\n")
        self.page.wait(f"{EDITOR}.value === '// from another editor\\n'", seconds=10)

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

    def test_an_edit_survives_the_end_of_the_server(self):
        self.go("exercise/padded-tile", "padded-tile")
        self.book.process.terminate()
        self.book.process.wait()
        self.page.wait("document.querySelector('#banner').innerText.includes('not reachable')", seconds=10)
        self.replace("__global__", "/* late */ __global__")
        self.page.wait("Object.keys(localStorage).some(key => key.includes('padded-tile'))")
        self.page.complaints.clear()  # the browser reports each request that fails
        self.assertNotIn("/* late */", self.on_disk("transpose/padded-tile.cu"))

    def test_a_command_of_the_handout_runs_in_place(self):
        self.page.value("location.hash = '#/lab/transpose'")
        form = "document.querySelector('#handout form.command')"
        self.page.wait(f"{form}?.querySelector('input').value.includes('transpose')")
        self.page.value(f"{form}.querySelector('input').value = 'cudalab transpose --rows 64 --cols 64 --stage naive,padded'")
        self.page.value(f"{form}.requestSubmit()")
        self.page.wait(f"{form}.querySelector('pre.output')?.innerText.includes('padded')")
        self.page.value(f"{form}.querySelector('details').open = true")
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

    def test_runs_of_an_own_file_are_compared(self):
        kernel = 'extern "C" __global__ void scale(float* a, int n) { int i = STEP * (blockIdx.x * blockDim.x + threadIdx.x); if (i < n) a[i] *= 2; }\n'
        (self.book.folder / "scale.cu").write_text(kernel)
        self.page.wait("[...document.querySelectorAll('#course a')].some(each => each.innerText === 'scale.cu')", seconds=10)
        self.go("file/scale.cu", "scale.cu")
        for step in (8, 1):
            self.page.value("document.querySelector('#options').value = "
                            f"'--kernel scale --grid 4 --block 256 --arg buf:f32:8192:iota --arg i32:8192 --define STEP={step}'")
            self.page.value(f"{RESULT}.replaceChildren()")
            self.page.click("Run", "document.querySelector('#work')")
            self.page.wait(f"{RESULT}.querySelector('pre.output')")
        self.page.click("Compare")
        self.page.wait(f"{RESULT}.querySelector('pre.output')?.innerText.includes('before')", seconds=20)
        self.picture("compare")

    def test_a_long_run_shows_its_time_and_can_be_cancelled(self):
        (self.book.folder / "slow.cu").write_text('extern "C" __global__ void slow(volatile int* a) { for (int i = 0; i < 2000000000; ++i) a[0] = i; }\n')
        self.page.wait("[...document.querySelectorAll('#course a')].some(each => each.innerText === 'slow.cu')", seconds=10)
        self.go("file/slow.cu", "slow.cu")
        self.page.value("document.querySelector('#options').value = '--kernel slow --grid 1 --block 1 --arg buf:i32:1:zero'")
        self.page.click("Run", "document.querySelector('#work')")
        self.page.wait("/[1-9]/.test(document.querySelector('#work .progress')?.innerText)", seconds=20)
        self.picture("running")
        self.page.click("Cancel")
        self.assertEqual(self.verdict(), "cancelled")

    def test_what_a_kernel_prints_is_no_html(self):
        (self.book.folder / "prints.cu").write_text('extern "C" __global__ void prints() { printf("<img src=x onerror=alert(1)>\\n"); }\n')
        self.page.wait("[...document.querySelectorAll('#course a')].some(each => each.innerText === 'prints.cu')", seconds=10)
        self.go("file/prints.cu", "prints.cu")
        self.page.value("document.querySelector('#options').value = '--kernel prints --grid 1 --block 1'")
        self.page.click("Run", "document.querySelector('#work')")
        self.page.wait(f"{RESULT}.innerText.includes('<img src=x')")
        self.assertEqual(self.page.value("document.querySelectorAll('#work img').length"), 0)
        self.assertEqual(self.page.dialogs, [])

    def test_the_keyboard_is_enough(self):
        self.page.key("Tab", number=9)
        self.assertEqual(self.page.value("document.activeElement.id"), "skip")
        self.page.value(f"{EDITOR}.focus()")
        before = self.page.value(f"{EDITOR}.value.length")
        self.page.key("Tab", number=9)
        self.page.wait(f"{EDITOR}.value.length === {before + 4}")
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
                    self.assertEqual(self.page.value(AXE_LIKE), [], (width, is_dark, part))


class InChinese(InABrowser):
    language = "zh_CN.UTF-8"

    def test_the_page_and_the_reasons_are_chinese(self):
        self.assertEqual(self.page.value("document.documentElement.lang"), "zh")
        self.go("exercise/first-transpose", "first-transpose")
        self.replace(TODO, WRONG)
        self.assertEqual(self.check(), "尚未通过")
        self.assertIn("结果正确", self.text("#work .parts .missed"))
        self.picture("chinese")
        self.page.value("(() => { const choice = document.querySelector('#top select'); choice.value = 'ru'; choice.dispatchEvent(new Event('change')); })()")
        self.page.wait(f"document.documentElement.lang === 'ru' && document.querySelector('#work textarea')")
        self.assertIn("Проверить", self.text("#work .toolbar"))
        self.picture("russian")


if __name__ == "__main__":
    unittest.main()
