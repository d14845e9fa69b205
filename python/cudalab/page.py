"""Turns the HTML page of a result into a fragment that a notebook shows between its own cells."""
import re
import uuid

# Twice, because a notebook's own rules for tables have two classes; a rule of the page must outrank them.
SCOPE = "div.cudalab-page.cudalab-page"
NAMES = r'(?<=\s)(id|for|aria-labelledby)="|(?<=\s)href="#'  # attributes up to the name that they hold
ROOTS = {":root", "html", "body"}
# Restores defaults of the browser that a notebook changes, and fits the page to the width of a cell.
OWN_STYLE = f"""
{SCOPE} {{ color-scheme: light dark; max-width: none; padding: .2rem 1rem 1rem; container-type: inline-size; }}
{SCOPE} main section {{ content-visibility: visible; }}
{SCOPE} .kernel {{ grid-template-columns: minmax(0, 1fr); }}
{SCOPE} h1 {{ font-size: 1.2rem; }}
{SCOPE} h2 {{ margin: 1rem 0 .4rem; font-size: 1.1rem; }}
{SCOPE} table, {SCOPE} tbody tr {{ background: transparent; color: inherit; font-size: inherit; }}
"""


def inline(page):
    """The page's heading and sections with its style, which applies to them alone, and its script."""
    name = "cudalab-" + uuid.uuid4().hex[:8]  # two results in a notebook must not share names
    body = between(page, "<header>", "</header>", whole=True) + between(page, "<main", "</main>", whole=True)
    body = re.sub(r"<[a-z][^<>]*>", lambda tag: re.sub(NAMES, rf"\g<0>{name}-", tag[0]), body)
    style = scoped(between(page, "<style>", "</style>"))
    script = between(page, "<script>", "</script>")
    return (f'<div class="cudalab-page" id="{name}"><style>{style}{OWN_STYLE}</style>{body}</div>\n'
            f'<script>(function (document) {{{script}}})(window.document.getElementById("{name}"))</script>')


def between(text, start, end, whole=False):
    first, last = text.find(start), text.find(end)
    if first < 0 or last < 0:
        return ""
    return text[first:last + len(end)] if whole else text[first + len(start):last]


def scoped(style):
    """The rules with SCOPE before every selector."""
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.S)
    rules, at = [], 0
    while True:
        brace = style.find("{", at)
        if brace < 0:
            return "\n".join(rules)
        head, end = " ".join(style[at:brace].split()), matching_brace(style, brace)
        inside = style[brace + 1:end]
        # A notebook's output is narrower than its window.
        head = head.replace("@media (max-width", "@container (max-width")
        rules.append(f"{head} {{ {scoped(inside)} }}" if head.startswith("@") else f"{scoped_head(head)} {{{inside}}}")
        at = end + 1


def scoped_head(head):
    selectors = (selector.strip() for selector in head.split(","))
    return ", ".join(SCOPE if selector in ROOTS else f"{SCOPE} {selector}" for selector in selectors)


def matching_brace(text, at):
    depth = 0
    for place in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)
