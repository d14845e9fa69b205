"""Recorded sessions: `golden.py PROGRAM SOURCE_FOLDER NAME` replays one and compares its messages with
golden/NAME.txt; with `--write`, writes that file. Folders, wording and addresses of instructions are not part of
the files: messages are shown by their ids."""
import difflib
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from client import Client  # noqa: E402
from kernels import (CHANGED, FAILING, FAULTS, LAMBDA, PROGRAM_OF_STREAMS, REDUCE, SCALED, SHUFFLES,  # noqa: E402
                     SPINNING, TYPES, file_in, line_of, of_kernel)

HERE = os.path.dirname(os.path.abspath(__file__))


class Recorder(Client):
    """A client that keeps all messages as lines: `>` requests, `<` responses, `!` events."""

    def __init__(self, program, folder, source):
        super().__init__(program, folder)
        self.folders, self.lines = (folder, source), []

    def text(self, value):
        if isinstance(value, dict):
            return {key: self.text(each) for key, each in value.items() if key != "instructionPointerReference"}
        if isinstance(value, list):
            return [self.text(each) for each in value]
        is_path = isinstance(value, str) and any(value.startswith(each) for each in self.folders)
        return os.path.basename(value) if is_path else value

    def note(self, mark, name, body):
        self.lines.append(f"{mark} {name} {json.dumps(self.text(body), sort_keys=True, ensure_ascii=False)}")

    def send(self, command, **arguments):
        self.note(">", command, arguments)
        return super().send(command, **arguments)

    def read(self):
        message = super().read()
        if message["type"] == "event":
            self.note("!", message["event"], message.get("body"))
        else:
            self.note("<", message["command"], message["body"] if message["success"] else message["message"])
        return message

    def look(self, *scopes):
        """The stack, and the variables of some scopes."""
        thread = self.thread()
        frame = self.ask("stackTrace", threadId=thread)["stackFrames"][0]
        for each in self.ask("scopes", frameId=frame["id"])["scopes"]:
            if any(each["name"].startswith("debug_scope_" + scope) for scope in scopes):
                self.ask("variables", variablesReference=each["variablesReference"], count=12)


def tiled_transposition(client, source, folder):
    path = os.path.join(source, "labs/transpose/2_tiled.cu")
    with open(path) as file:
        line = line_of(file.read(), "tile[threadIdx.x]")
    client.start(lab="transpose", stage="tiled", arguments=["--rows", "64", "--cols", "64"])
    client.ask("threads")
    client.look("locals", "builtins")
    client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line}])
    client.go("continue")
    client.look("locals")
    client.evaluate("tile[threadIdx.x][1]")
    client.ask("cudalab/warp")
    client.go("next")
    client.look("locals")
    client.go("continue")


def race_and_step_back(client, source, folder):
    path = file_in(folder, REDUCE)
    stop = client.start(stop_on_entry=False, **of_kernel(path, "reduce", 2, 128, "buf:f32:256:iota", "buf:f32:2"))
    client.focus = stop["threadId"]
    client.ask("exceptionInfo", threadId=client.focus)
    client.look("locals")
    client.evaluate("s[threadIdx.x + h]")
    client.go("stepBack")
    client.look("locals")
    client.go("next")
    client.go("reverseContinue")


def condition_in_third_launch(client, source, folder):
    path = file_in(folder, PROGRAM_OF_STREAMS, "streams.cu")
    at = [{"line": line_of(PROGRAM_OF_STREAMS, "a[i] += n"), "condition": "i == 133 && n == 3"}]
    stop = client.start(stop_on_entry=False, breakpoints={path: at}, program=path, launch=3)
    client.focus = stop["threadId"]
    client.look("locals", "builtins")
    client.evaluate("a[i]")
    client.evaluate("info cuda lanes", "repl")
    client.go("continue")


def structures_and_vectors(client, source, folder):
    path = file_in(folder, TYPES)
    at = [{"line": line_of(TYPES, "out[threadIdx.x] = value")}]
    client.start(stop_on_entry=False, breakpoints={path: at},
                 **of_kernel(path, "inspect<float>", 1, 32, "buf:f32:32"))
    client.evaluate("cuda lane 5", "repl")
    client.stopped()
    client.look("locals", "shared")
    for name in ("pair", "v", "grid"):
        client.ask("variables", variablesReference=client.evaluate(name)["variablesReference"])
    client.evaluate("grid[2][1] + pair.x")
    client.go("next")


def watch_of_a_shuffle_reduction(client, source, folder):
    path = file_in(folder, SHUFFLES)
    at = [{"line": line_of(SHUFFLES, "out[threadIdx.x]")}]
    client.start(stop_on_entry=False, filters=[], breakpoints={path: at},
                 **of_kernel(path, "sum", 1, 32, "buf:f32:32:iota", "buf:f32:32"))
    lanes = client.evaluate("s[threadIdx.x]")
    client.ask("variables", variablesReference=lanes["variablesReference"])
    client.evaluate("weights[1][2]")
    client.look("global")


def lambda_kernel(client, source, folder):
    path, header = file_in(folder, LAMBDA, "lambda.cu"), file_in(folder, SCALED, "scaled.h")
    at = {path: [{"line": line_of(LAMBDA, "return scaled(")}],
          header: [{"line": line_of(SCALED, "float result"), "condition": "threadIdx.x == 4"}]}
    client.start(stop_on_entry=False, breakpoints=at, program=path,
                 arguments=["--option=--extended-lambda"])
    client.look("locals", "arguments")
    client.go("continue")
    client.look("locals", "arguments")
    client.go("stepOut")


def faulty_kernel(name, block, argument):
    def session(client, source, folder):
        path = file_in(folder, FAULTS)
        stop = client.start(stop_on_entry=False, **of_kernel(path, name, 1, block, argument))
        client.focus = stop["threadId"]
        client.ask("exceptionInfo", threadId=client.focus)
        client.look("locals", "arguments")
        client.go("stepBack")
        client.look("locals")
    session.__name__ = name + "_kernel"
    return session


def illegal_launch_and_unchecked_error(client, source, folder):
    path = file_in(folder, FAILING, "failing.cu")
    stop = client.start(stop_on_entry=False, program=path)
    while stop:
        client.ask("exceptionInfo", threadId=stop["threadId"])
        client.ask("stackTrace", threadId=stop["threadId"])
        stop = client.go("continue", thread=stop["threadId"])


def pause_of_an_endless_loop(client, source, folder):
    """The loop is one line, so every pause stops there."""
    path = file_in(folder, SPINNING)
    client.start(filters=[], **of_kernel(path, "spinning", 1, 32, "buf:i32:2:zero"))
    client.go("next")
    client.ask("continue", threadId=1)
    time.sleep(0.5)
    client.ask("pause", threadId=1)
    client.stopped()
    client.look("locals", "warp")
    client.evaluate("p[0]")
    client.ask("terminate")
    client.event("terminated")


def change_of_a_variable(client, source, folder):
    path = file_in(folder, CHANGED)
    at = [{"line": line_of(CHANGED, "int sum")}, {"line": line_of(CHANGED, "out[i]")}]
    client.start(stop_on_entry=False, filters=[], breakpoints={path: at},
                 **of_kernel(path, "scale", 1, 64, "buf:i32:64:zero"))
    frame = client.ask("stackTrace", threadId=1)["stackFrames"][0]
    scope = client.ask("scopes", frameId=frame["id"])["scopes"][0]["variablesReference"]
    client.ask("setVariable", variablesReference=scope, name="factor", value="threadIdx.x + 4")
    client.go("continue")
    client.look("locals")


def restart(client, source, folder):
    path = file_in(folder, REDUCE)
    client.start(**of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    client.go("next")
    client.ask("restart")
    client.stopped()
    client.look("locals")


SESSIONS = (tiled_transposition, race_and_step_back, condition_in_third_launch, watch_of_a_shuffle_reduction,
            structures_and_vectors, lambda_kernel, faulty_kernel("misaligned", 1, "buf:u8:64"),
            faulty_kernel("beyond", 32, "buf:i32:32"), faulty_kernel("unwritten", 32, "buf:i32:32"),
            faulty_kernel("divergent", 64, "buf:i32:64"), illegal_launch_and_unchecked_error,
            pause_of_an_endless_loop, change_of_a_variable, restart)


def main():
    program, source, name = sys.argv[1:4]
    os.environ["CUDALAB_MESSAGE_IDS"] = "1"
    if name == "--list":
        print("\n".join(each.__name__ for each in SESSIONS))
        return
    session = next(each for each in SESSIONS if each.__name__ == name)
    with tempfile.TemporaryDirectory(prefix="cudalab-debug-") as folder:
        client = Recorder(program, folder, source)
        session(client, source, folder)
        client.end()
    golden = os.path.join(HERE, "golden", name + ".txt")
    if "--write" in sys.argv:
        os.makedirs(os.path.dirname(golden), exist_ok=True)
        with open(golden, "w") as file:
            file.write("\n".join(client.lines) + "\n")
        return
    with open(golden) as file:
        expected = file.read().splitlines()
    difference = list(difflib.unified_diff(expected, client.lines, "expected", "now", lineterm="", n=1))
    if difference:
        sys.exit("\n".join(difference))


main()
