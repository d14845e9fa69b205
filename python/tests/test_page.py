"""The fragment that a notebook shows in the place of a result's page."""
import re
import unittest

from cudalab.page import SCOPE, inline, scoped

PAGE = """<html><head><style>
:root { --back: #fff; } body, h1 { color: red; } /* a { } */
@media (max-width: 9rem) { td { padding: 0; } }
</style></head><body><a class="skip" href="#main">Skip</a>
<header><h1>cudalab run</h1></header><nav><a href="#notes">Notes</a></nav>
<main id="main"><section id="notes" aria-labelledby="notes-title"><h2 id="notes-title">Notes</h2>
<label for="slider">1</label><input id="slider" type="range"><td>id=&quot;x&quot;</td></section></main>
<script>
all('x');
</script></body></html>"""


class Style(unittest.TestCase):
    def test_every_rule_applies_to_the_fragment_alone(self):
        self.assertEqual(scoped(":root { --a: 1; } body, td.text { color: red; }").split("\n"),
                         [f"{SCOPE} {{ --a: 1; }}", f"{SCOPE}, {SCOPE} td.text {{ color: red; }}"])

    def test_rules_in_a_media_query_are_scoped_and_comments_dropped(self):
        self.assertEqual(scoped("/* td { } */ @media print { td { top: 0; } }"), f"@media print {{ {SCOPE} td {{ top: 0; }} }}")

    def test_a_narrow_window_of_the_page_is_a_narrow_output(self):
        self.assertEqual(scoped("@media (max-width: 9rem) { td { top: 0; } }"),
                         f"@container (max-width: 9rem) {{ {SCOPE} td {{ top: 0; }} }}")


class Fragment(unittest.TestCase):
    def test_it_has_the_sections_without_the_navigation(self):
        text = inline(PAGE)
        self.assertIn("<h1>cudalab run</h1>", text)
        for absent in ("<nav", "Skip", "<body", "<html"):
            self.assertNotIn(absent, text)

    def test_names_are_unique_per_fragment(self):
        first, second = (set(re.findall(r'\sid="([^"]+)"', inline(PAGE))) for _ in range(2))
        self.assertEqual(len(first), 5)
        self.assertFalse(first & second)

    def test_references_follow_the_names(self):
        text = inline(PAGE)
        ids = set(re.findall(r'\sid="([^"]+)"', text))
        self.assertLessEqual(set(re.findall(r'\s(?:for|aria-labelledby)="([^"]+)"', text)), ids)

    def test_the_script_sees_the_fragment_as_its_document(self):
        text = inline(PAGE)
        name = re.search(r'class="cudalab-page" id="([^"]+)"', text)[1]
        self.assertRegex(text, rf"(?s)<script>\(function \(document\) \{{.*all\('x'\);.*getElementById\(\"{name}\"\)\)</script>")
