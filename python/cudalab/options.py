"""Options of the cudalab program: as Python arguments, and as its `--help` lists them."""
import collections.abc
import functools
import re

from .program import Error, call

# A sequence for one of these is joined with commas; for any other option, the option is repeated.
JOINED = {"block", "cluster", "grid", "metrics", "show", "sizes", "stage"}
# This package passes these itself.
RESERVED = {"color": "the text has no colours", "html": "write the result's `page` to a file",
            "json": "read the result's `document`"}


def words_from(options):
    """The command-line words for Python arguments: `grid=(4, 4), lines=True` are `--grid=4,4 --lines`.

    Underscores stand for hyphens, and `as_` for `--as`. True is a flag, None and False are absent, a mapping is
    NAME=VALUE once per entry. `arguments` are those of a whole program, behind `--`.
    """
    words = []
    arguments = options.pop("arguments", None)
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif isinstance(value, collections.abc.Mapping):
            words += [f"{option}={key}={one}" for key, one in value.items()]
        elif isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes)):
            texts = [str(one) for one in value]
            words += [f"{option}={','.join(texts)}"] if option[2:] in JOINED else [f"{option}={one}" for one in texts]
        elif value is not None and value is not False:
            words.append(f"{option}={value}")
    refuse_reserved(words)
    return words + (["--", *map(str, arguments)] if arguments else [])


def refuse_reserved(words):
    for word in words:
        if word == "--":
            return
        name = word[2:].split("=")[0] if word.startswith("--") else ""
        if name in RESERVED:
            raise Error(f"--{name} cannot be set here: {RESERVED[name]}")


def split_arguments(words):
    """The options, and `--` with the arguments of the program behind it."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at:]


@functools.lru_cache(maxsize=None)
def help_of(*command):
    return call([*command, "--help"]).output


def options_in(text):
    """The options in a help text, each with the values that it offers: {"--device": ["auto", "gpu", "virtual"]}."""
    found = {}
    for option, values in re.findall(r"^  (--[\w-]+)[ =]?(?:\[=)?(\S*)", text, re.M):
        found[option] = re.findall(r"[\w+.-]+", values) if "|" in values and values.lower() == values else []
    return found


def names_in(text):
    """The first words of the rows of a help text: of labs, and of commands."""
    return re.findall(r"^  ([a-z][a-z-]*) {2,}\S", text, re.M)


def makes_a_result(command):
    """Returns true if `cudalab COMMAND` can write a result document and its page."""
    text = help_of(command)
    return "--json[=FILE]" in text and "--html[=FILE]" in text


@functools.lru_cache(maxsize=None)
def exercises():
    """The names of all exercises, from the marked rows of `cudalab list`."""
    return re.findall(r"^  \[.\] ([\w-]+)", call(["list"]).output, re.M)
