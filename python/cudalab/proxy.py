"""The workbook in JupyterLab: the entry point that jupyter-server-proxy loads to start `cudalab serve`.

Jupyter decides who may use the server. The proxy adds the token to each request, so the browser never sees it, and the
workbook still refuses requests that the browser marks as another site's (Sec-Fetch-Site).
"""
import os
import pathlib
import secrets

from .program import call, environment, program_path

PROGRESS_FILE = "cudalab.json"
COURSE_FOLDER = "cudalab-course"
SECONDS_TO_START = 30.0
ICON = "_root/share/cudalab/web/icon.svg"


def course_folder():
    """The course folder around or in Jupyter's folder. Made at the first start, as `cudalab start all` does."""
    here = pathlib.Path.cwd()
    for folder in (here, *here.parents, here / COURSE_FOLDER):
        if (folder / PROGRESS_FILE).is_file():
            return folder
    ended = call(["start", "all", "--into", COURSE_FOLDER])
    if ended.exit_code != 0:
        raise ended.error()
    return here / COURSE_FOLDER


def without_slots(text):
    """The proxy fills slots such as {port} in what it gets; other braces are doubled."""
    return text.replace("{", "{{").replace("}", "}}")


def command(port):
    return [without_slots(word) for word in (str(program_path()), "serve", "--port", str(port), str(course_folder()))]


def workbook():
    """The settings of one server for jupyter-server-proxy, with a token of this Jupyter's own."""
    token = secrets.token_hex(32)
    variables = {"CUDALAB_TOKEN": token}
    if "VIRTUAL_ENV" in environment():
        variables["VIRTUAL_ENV"] = without_slots(environment()["VIRTUAL_ENV"])
    entry = {"title": "CUDA workbook"}
    icon = pathlib.Path(__file__).resolve().parent / ICON
    if icon.is_file():
        entry["icon_path"] = str(icon)
    return {
        "command": command,
        "environment": variables,
        "timeout": SECONDS_TO_START,
        "new_browser_tab": True,  # no other page may embed the workbook
        "launcher_entry": entry,
        "request_headers_override": {
            "Host": "127.0.0.1:{port}",
            "Origin": "http://127.0.0.1:{port}",
            "Cookie": f"cudalab-{{port}}={token}",
        },
    }
