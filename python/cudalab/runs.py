"""The functions of the package: each runs the cudalab program once and reads what it wrote."""
import atexit
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import tempfile

from .options import refuse_reserved, split_arguments, words_from
from .program import Error, call
from .result import Result

PAGE = "cudalab-page.html"
folder_of_sources = None  # of this process, made when it is first needed


def run(source_or_path, **options):
    """Runs one kernel of a .cu file, or a whole program, as `cudalab run` does.

    `source_or_path` is CUDA source, a path, or a list of the paths of a whole program. A string with a line break or
    a brace is source. The options are those of `cudalab run --help`:

        cudalab.run("saxpy.cu", arguments=[1000])
        cudalab.run(source, kernel="scale", grid=4, block=(256, 1), arg=["buf:f32:1000:iota", "i32:1000"],
                    define={"N": 1000}, lines=True)
    """
    words = words_from(options)
    if is_source(source_or_path):
        file = source_file(source_or_path, "kernel.cu")
        return run_command(words_for_source(file, words), folder=file.parent)
    paths = source_or_path if isinstance(source_or_path, (list, tuple)) else [source_or_path]
    return run_command(["run", *map(os.fspath, paths), *words])


def lab(name, **options):
    """Runs a lab as `cudalab LAB` does: `cudalab.lab("transpose", tile=16, stage=["naive", "tiled"])`."""
    return run_command([name, *words_from(options)])


def check(exercise, source_or_path, **options):
    """Checks a solution of an exercise, which is CUDA source or a path, as `cudalab check` does."""
    words = words_from(options)
    if is_source(source_or_path):
        return check_source(exercise, source_or_path, words)
    return check_file(exercise, pathlib.Path(source_or_path), words)


def is_source(text):
    return isinstance(text, str) and ("\n" in text or "{" in text)


def words_for_source(file, words):
    """`cudalab run` of a text's file. Headers that the text includes are in the current folder."""
    options, arguments = split_arguments(words)
    includes = ["--include", "."] if re.search(r'^\s*#\s*include\s*"', file.read_text(encoding="utf-8"), re.M) else []
    return ["run", str(file), *options, *includes, *arguments]


def check_source(exercise, source, words):
    file = source_file(source, f"{exercise}.cu")
    return check_file(exercise, file, words, file.parent)


def source_file(source, name):
    """A file with this text and name, in a folder of its own. The same text has the same path, as the program's cache
    of compiled kernels asks for."""
    global folder_of_sources
    if folder_of_sources is None or not folder_of_sources.is_dir():
        folder_of_sources = pathlib.Path(tempfile.mkdtemp(prefix="cu-"))
        atexit.register(shutil.rmtree, folder_of_sources, ignore_errors=True)
    file = folder_of_sources / hashlib.sha256(source.encode()).hexdigest()[:8] / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(source, encoding="utf-8")
    return file


def run_command(words, on_output=None, folder=None):
    """Runs a command that can write a document and a page. `on_output` gets standard output piece by piece.

    `folder` holds the text that runs; what the result says of its files does not name it.
    """
    options, arguments = split_arguments(words)
    refuse_reserved(options)
    with tempfile.TemporaryDirectory(prefix="cudalab-result-") as place:
        files = [pathlib.Path(place) / name for name in ("result.json", PAGE)]
        ended = call([*options, f"--json={files[0]}", f"--html={files[1]}", "--color=never", *arguments],
                     on_output and (lambda text: on_output(without_folder(text, folder))))
        document, page = (without_folder(text_of(file), folder) for file in files)
    if not document and ended.exit_code != 0:
        raise without_folder_in(ended.error(), folder)
    document = json.loads(document) if document else None
    output, report = without_folder(ended.output, folder), without_folder(report_of(ended), folder)
    # Standard output belongs to a whole program; the report is on standard error then.
    if not document or document["schema"] != "cudalab.program/1":
        output, report = "", output + report
    result = Result(document, report, output, page, ended.exit_code)
    result.shows_output = on_output is None
    return result


def check_file(exercise, file, words, folder=None):
    """`cudalab check` of a file: once for the screen and the page, and again for the document, with the same inputs."""
    refuse_reserved(words)
    if not any(word.split("=")[0] == "--seed" for word in words):
        words = [*words, f"--seed={random.randrange(1, 1_000_000)}"]
    command = ["check", str(file), "--exercise", exercise, *words]
    with tempfile.TemporaryDirectory(prefix="cudalab-result-") as place:
        page = pathlib.Path(place) / PAGE
        shown = call([*command, f"--html={page}"])
        if shown.exit_code not in (0, 1):
            raise without_folder_in(shown.error(), folder)
        text = without_folder(text_of(page), folder)
    found = call([*without_show(command), "--json", "--no-search"])
    if not found.output:
        raise without_folder_in(found.error(), folder)
    return Result(json.loads(without_folder(found.output, folder)), without_folder(shown.output, folder),
                  page=text, exit_code=shown.exit_code)


def without_show(command):
    """A check as JSON draws no pictures."""
    kept, words = [], iter(command)
    for word in words:
        if word == "--show":
            next(words, None)
        elif not word.startswith("--show="):
            kept.append(word)
    return kept


def report_of(ended):
    """Standard error without the line that names the page, which is a temporary file here."""
    return "".join(line for line in ended.errors.splitlines(keepends=True) if PAGE not in line)


def without_folder(text, folder):
    """The text with bare names for the files of this folder. Reports name files from the current folder, or in full."""
    for path in (str(folder), os.path.relpath(folder)) if folder else ():
        text = text.replace(f"{path}/", "")
    return text


def text_of(file):
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def without_folder_in(error, folder):
    return Error(without_folder(str(error), folder), error.exit_code)
