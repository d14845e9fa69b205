"""Features of the debugger, tested over the protocol: `scenarios.py PROGRAM SOURCE_FOLDER NAME`."""
import base64
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
import programs  # noqa: E402
from client import Client  # noqa: E402
from kernels import (CALLS, CHANGED, COUNTING, FAULTS, INLINED, LEAVING, PROGRAM_OF_STREAMS, REDUCE, SHUFFLES, STATES, TYPES,  # noqa: E402
                     file_in, line_of, of_kernel, values)

PROGRAM, SOURCE, NAME = sys.argv[1:4]
FOLDER = tempfile.mkdtemp(prefix="cudalab-debug-")


def kernel_file(text, name="k.cu"):
    return file_in(FOLDER, text, name)


def tiled_transposition_by_warp(client):
    path = os.path.join(SOURCE, "labs/transpose/2_tiled.cu")
    begin = time.monotonic()
    stop = client.start(lab="transpose", stage="tiled", arguments=["--rows", "64", "--cols", "64"])
    seconds = time.monotonic() - begin
    assert stop["reason"] == "entry" and client.frame()["source"]["path"] == path, stop
    lines, slowest = [], 0.0
    for _ in range(12):
        lines.append(client.line())
        begin = time.monotonic()
        client.go("next")
        slowest = max(slowest, time.monotonic() - begin)
    assert lines == sorted(lines) and len(set(lines)) > 5, lines
    print(f"first stop {seconds:.2f} s, slowest step {1000 * slowest:.0f} ms")
    with open(path) as file:
        source = file.read()
    conflict = next(i for i, line in enumerate(source.split("\n"), 1) if "tile[threadIdx.x]" in line)
    client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": conflict}])
    client.go("reverseContinue")
    stop = client.go("continue") if client.line() != conflict else {"reason": "breakpoint"}
    assert stop["reason"] == "breakpoint" and client.line() == conflict, (stop, client.line())
    lines = "\n".join(client.ask("cudalab/warp")["lines"])
    assert "32" in lines, lines
    assert len(client.scope("Warp")) == 32


def race_and_back(client):
    path = kernel_file(REDUCE)
    stop = client.start(stop_on_entry=False, **of_kernel(path, "reduce", 2, 128, "buf:f32:256:iota", "buf:f32:2"))
    assert stop["reason"] == "exception" and stop["description"] == "shared race", stop
    thread = stop["threadId"]
    line = line_of(REDUCE, "s[threadIdx.x] +=")
    assert client.line(thread) == line, client.frame(thread)
    info = client.ask("exceptionInfo", threadId=thread)
    assert info["exceptionId"] == "shared_race" and "__syncthreads()" in info["details"]["message"], info
    client.focus = thread
    client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line_of(REDUCE, "s[threadIdx.x] = in")}])
    stop = client.go("reverseContinue")
    while stop["reason"] == "exception":
        stop = client.go("reverseContinue")
    assert stop["reason"] == "breakpoint" and client.line(thread) == line_of(REDUCE, "s[threadIdx.x] = in"), stop


def third_launch_of_a_program(client):
    path = kernel_file(PROGRAM_OF_STREAMS, "streams.cu")
    line = line_of(PROGRAM_OF_STREAMS, "a[i] += n")
    condition = [{"line": line, "condition": "i == 133 && n == 3"}]
    stop = client.start(stop_on_entry=False, breakpoints={path: condition}, program=path, launch=3)
    assert stop["reason"] == "breakpoint", stop
    client.focus = stop["threadId"]
    local = values(client.scope("Locals", client.focus)) | values(client.scope("Arguments", client.focus))
    assert local["i"] == "133" and local["n"] == "3", local
    built_in = values(client.scope("Built-ins", client.focus))
    assert built_in["blockIdx"] == "(1, 0, 0)" and built_in["threadIdx"] == "(5, 0, 0)", built_in


def watch_over_lanes(client):
    path = kernel_file(REDUCE)
    line = line_of(REDUCE, "s[threadIdx.x] +=")
    at = [{"line": line, "condition": "h == 32"}]
    stop = client.start(stop_on_entry=False, filters=[], breakpoints={path: at},
                        **of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    assert stop["reason"] == "breakpoint", stop
    watched = client.evaluate("s[threadIdx.x]")
    lanes = values(client.children(watched["variablesReference"]))
    assert len(lanes) == 32 and float(lanes["3"]) - float(lanes["2"]) in (1.0, 2.0), lanes
    sums = values(client.children(client.evaluate("s[threadIdx.x] + s[threadIdx.x + h]")["variablesReference"]))
    assert float(sums["0"]) == float(lanes["0"]) + float(client.evaluate("s[h]")["result"]), sums
    shared = client.scope("Shared")["s"]
    assert shared["type"] == "float[128]" and len(client.children(shared["variablesReference"])) == 128


def inspects_types(client):
    path = kernel_file(TYPES)
    at = [{"line": line_of(TYPES, "out[threadIdx.x] = value")}]
    client.start(stop_on_entry=False, breakpoints={path: at},
                 **of_kernel(path, "inspect<float>", 1, 32, "buf:f32:32"))
    client.evaluate("cuda lane 5", "repl")
    client.stopped()
    local = client.scope("Locals")
    assert values(client.children(local["pair"]["variablesReference"])) == {".x": "5", ".y": "0.5"}, local["pair"]
    assert client.children(local["v"]["variablesReference"])[".w"]["value"] == "5", local["v"]
    assert local["value"]["value"] == "58", local["value"]
    grid = client.scope("Shared")["grid"]
    rows = client.children(grid["variablesReference"])
    assert len(rows) == 4 and values(client.children(rows["[3]"]["variablesReference"]))["[7]"] == "31", rows
    assert client.evaluate("grid[2][1] + pair.x")["result"] == "22"


def stops_in_functions(client):
    path = kernel_file(TYPES)
    stop = client.start(stop_on_entry=False, functions=["twice"],
                        **of_kernel(path, "inspect<float>", 1, 32, "buf:f32:32"))
    assert stop["reason"] == "function breakpoint" and "twice" in client.frame()["name"], (stop, client.frame())
    calls = client.ask("stackTrace", threadId=1)["stackFrames"]
    assert len(calls) == 2 and "inspect" in calls[1]["name"], calls
    outer = client.ask("scopes", frameId=calls[1]["id"])["scopes"][0]
    assert "pair" in client.children(outer["variablesReference"]), outer
    client.go("stepOut")
    assert "inspect" in client.frame()["name"], client.frame()


def stops_at_faults(client):
    client.end()
    path = kernel_file(FAULTS)
    for name, block, argument, kind in (("misaligned", 1, "buf:u8:64", "misaligned"),
                                        ("beyond", 32, "buf:i32:32", "out_of_bounds"),
                                        ("unwritten", 32, "buf:i32:32", "uninitialised_read"),
                                        ("divergent", 64, "buf:i32:64", "barrier_divergence")):
        client = Client(PROGRAM, FOLDER)
        stop = client.start(stop_on_entry=False, **of_kernel(path, name, 1, block, argument))
        assert stop["reason"] == "exception", (name, stop)
        info = client.ask("exceptionInfo", threadId=stop["threadId"])
        assert info["exceptionId"] == kind and info["description"], (name, info)
        if name != "divergent":
            client.end()
    return client


def pauses_an_endless_loop(client):
    path = kernel_file(FAULTS)
    client.start(**of_kernel(path, "endless", 1, 32, "buf:i32:32:zero"), filters=[])
    client.ask("continue", threadId=1)
    time.sleep(0.5)
    client.send("pause", threadId=1)
    stop = client.stopped()
    assert stop["reason"] == "pause" and client.line() in range(12, 15), (stop, client.frame())


def restarts(client):
    path = kernel_file(REDUCE)
    client.start(**of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    first = client.line()
    client.go("next")
    client.go("next")
    assert client.line() > first
    client.ask("restart")
    stop = client.stopped()
    assert stop["reason"] == "entry" and client.line() == first, client.frame()


def ends_and_goes_back(client):
    path = kernel_file(REDUCE)
    client.start(**of_kernel(path, "reduce", 1, 32, "buf:f32:128:iota", "buf:f32:1"), filters=[])
    stop = client.go("continue")
    assert "ended" in stop["description"], stop
    assert client.go("stepBack")["reason"] == "step"
    assert client.go("reverseContinue")["reason"] == "entry"
    assert client.go("stepBack")["reason"] == "entry"
    assert "ended" in client.go("continue")["description"]
    assert client.go("continue") is None


def logs_and_counts(client):
    path = kernel_file(REDUCE)
    line = line_of(REDUCE, "s[threadIdx.x] +=")
    at = [{"line": line, "logMessage": "h is {h}"}, {"line": line, "hitCondition": "3"}]
    client.start(stop_on_entry=False, filters=[], breakpoints={path: at},
                 **of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    assert client.evaluate("h")["result"] == "16", client.evaluate("h")


def bytes_at(client, reference, count, offset=0):
    body = client.ask("readMemory", memoryReference=reference, offset=offset, count=count)
    return base64.b64decode(body["data"]), body.get("unreadableBytes", 0)


def reads_memory(client):
    path = kernel_file(REDUCE)
    at = [{"line": line_of(REDUCE, "for (int h")}]
    client.start(stop_on_entry=False, filters=[], breakpoints={path: at},
                 **of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    pointer = client.scope("Arguments")["in"]["memoryReference"]
    data, rest = bytes_at(client, pointer, 16, 8)
    assert struct.unpack("4f", data) == (2, 3, 4, 5) and rest == 0, data
    assert bytes_at(client, pointer, 16, 508)[1] == 12  # the buffer ends after 4 of the bytes
    assert bytes_at(client, "0x10", 8) == (b"", 8)
    shared = client.scope("Shared")["s"]["memoryReference"]
    data, _ = bytes_at(client, shared, 512)  # also what the other warps wrote before the barrier
    assert struct.unpack("128f", data)[100] == 100, data
    assert not client.answer("readMemory", memoryReference="s", count=4)["success"]
    buffers = client.scope("Global")
    buffer = next(each for each in buffers.values() if each["memoryReference"] == pointer)
    assert buffer["type"] == "float[128]" and buffer["indexedVariables"] == 128, buffer
    part = client.ask("variables", variablesReference=buffer["variablesReference"], start=5, count=2)["variables"]
    assert [each["value"] for each in part] == ["5", "6"], part
    assert client.evaluate("in[7] + 1")["result"] == "8"


def disassembles(client):
    path = kernel_file(REDUCE)
    at = [{"line": line_of(REDUCE, "s[threadIdx.x] = in")}]
    client.start(stop_on_entry=False, breakpoints={path: at},
                 **of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    here = client.frame()["instructionPointerReference"]
    rows = client.ask("disassemble", memoryReference=here, instructionOffset=-5, instructionCount=60)["instructions"]
    assert len(rows) == 60 and rows[5]["address"] == here, rows
    assert rows[5]["line"] == at[0]["line"] and rows[5]["location"]["path"] == path, rows[5]
    assert any(each["instruction"].startswith("ld.") and each.get("line") == at[0]["line"] for each in rows), rows
    rows = client.ask("disassemble", memoryReference=here, instructionOffset=-100000, instructionCount=2)["instructions"]
    assert [each["presentationHint"] for each in rows] == ["invalid", "invalid"], rows
    assert client.ask("source", source={"path": path}, sourceReference=0)["content"] == REDUCE
    assert not client.answer("source", source={"path": "/etc/hosts"}, sourceReference=0)["success"]


def set_in_frame(client, frame, scope, name, value):
    for each in client.ask("scopes", frameId=frame["id"])["scopes"]:
        if each["name"].startswith(scope):
            return client.answer("setVariable", variablesReference=each["variablesReference"], name=name, value=value)
    raise KeyError(scope)


def set_in(client, scope, name, value):
    return set_in_frame(client, client.frame(), scope, name, value)


def changes_variables(client):
    path = kernel_file(CHANGED)
    at = [{"line": line_of(CHANGED, "int sum")}]
    client.start(stop_on_entry=False, filters=[], breakpoints={path: at},
                 **of_kernel(path, "scale", 1, 64, "buf:i32:64:zero"))
    client.evaluate("cuda lane 3", "repl")
    client.stopped()
    answer = set_in(client, "Locals", "factor", "threadIdx.x + 4")  # lane 3 reads s[60]
    assert answer["success"] and answer["body"]["value"] == "7", answer
    assert client.evaluate("factor")["result"] == "7"
    client.go("next")
    assert client.evaluate("sum")["result"] == "4200", client.evaluate("sum")
    client.go("next")
    client.go("next")
    assert client.evaluate("sum")["result"] == "-1", client.evaluate("sum")
    lanes = values(client.children(client.evaluate("factor")["variablesReference"]))
    assert lanes["3"] == "7" and lanes["4"] == "2", lanes
    # Before the changed step, the variable has its own value again; after it, the changed one.
    client.go("reverseContinue")
    assert client.line() == at[0]["line"] and client.evaluate("factor")["result"] == "7"
    client.go("stepBack")
    assert client.evaluate("factor")["result"] == "2", client.evaluate("factor")
    client.go("next")
    # An element of shared memory, then one of global memory.
    shared = client.scope("Shared")["s"]["variablesReference"]
    client.ask("setVariable", variablesReference=shared, name="[60]", value="11")
    assert client.evaluate("s[63 - i]")["result"] == "11"
    client.go("next")
    assert client.evaluate("sum")["result"] == "77", client.evaluate("sum")
    out = next(iter(client.scope("Global").values()))
    client.ask("setVariable", variablesReference=out["variablesReference"], name="[40]", value="-6")
    assert struct.unpack("i", bytes_at(client, out["memoryReference"], 4, 160)[0]) == (-6,)
    # What cannot be changed is refused by name.
    for scope, name, value, part in (("Built-ins", "warpSize", "5", "warpSize"), ("Locals", "factor", "1e12", "factor"),
                                     ("Shared", "s", "1", "s"), ("Locals", "factor", "none", "none")):
        answer = set_in(client, scope, name, value)
        assert not answer["success"] and part in answer["message"], answer


def changes_variables_of_callers(client):
    path = kernel_file(CALLS)
    client.start(stop_on_entry=False, functions=["added"], **of_kernel(path, "calls", 1, 32, "buf:i32:32", "i32:5"))
    called, caller = client.ask("stackTrace", threadId=1)["stackFrames"]
    assert (called["name"], caller["name"]) == ("added", "calls"), (called, caller)
    answer = set_in_frame(client, caller, "Locals", "base", "100")
    assert answer["success"] and answer["body"]["value"] == "100", answer
    assert client.ask("evaluate", expression="base + n", frameId=caller["id"])["result"] == "105"
    assert not client.answer("evaluate", expression="base", frameId=called["id"])["success"]
    client.go("stepOut")
    while client.line() != line_of(CALLS, "out[threadIdx.x]"):
        client.go("next")
    lanes = values(client.children(client.evaluate("base")["variablesReference"]))
    assert (lanes["0"], lanes["1"]) == ("100", "6"), lanes
    assert client.evaluate("sum")["result"] == "15", client.evaluate("sum")  # the call had its argument already
    client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line_of(CALLS, "out[threadIdx.x]") + 1}])
    out = next(each for name, each in client.scope("Global").items() if name == "out")
    client.go("next")
    assert struct.unpack("2i", bytes_at(client, out["memoryReference"], 8)[0]) == (115, 22)


def changes_parameters(client):
    path = kernel_file(COUNTING)
    at = [{"line": line_of(COUNTING, "sum +="), "condition": "i == 2"}, {"line": line_of(COUNTING, "out[")}]
    client.start(stop_on_entry=False, breakpoints={path: at}, **of_kernel(path, "count", 1, 32, "buf:i32:32", "i32:50"))
    answer = set_in(client, "Arguments", "rounds", "4")
    assert answer["success"] and answer["body"]["value"] == "4", answer
    lanes = values(client.children(client.evaluate("rounds")["variablesReference"]))
    assert (lanes["0"], lanes["1"]) == ("4", "50"), lanes
    client.go("continue")
    sums = values(client.children(client.evaluate("sum")["variablesReference"]))
    assert client.line() == at[1]["line"] and (sums["0"], sums["1"]) == ("6", "1225"), sums
    client.go("reverseContinue")
    client.go("stepBack")
    assert client.evaluate("rounds")["result"] == "50", client.evaluate("rounds")


def changes_what_other_warps_read(client):
    path = kernel_file(CHANGED)
    at = [{"line": line_of(CHANGED, "__syncthreads")}]
    client.start(stop_on_entry=False, filters=[], breakpoints={path: at},
                 **of_kernel(path, "scale", 1, 64, "buf:i32:64:zero"))
    client.evaluate("cuda warp 1", "repl")
    client.focus = client.stopped()["threadId"]
    client.go("continue")
    assert client.line(client.focus) == at[0]["line"], client.frame(client.focus)
    shared = client.scope("Shared", client.focus)["s"]["variablesReference"]
    client.ask("setVariable", variablesReference=shared, name="[63]", value="5")
    client.evaluate("cuda warp 0", "repl")
    client.focus = client.stopped()["threadId"]
    client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line_of(CHANGED, "out[i]")}])
    client.go("continue")
    assert client.evaluate("sum")["result"] == "10", client.evaluate("sum")  # lane 0 reads s[63]


def stops_at_data(client):
    path = kernel_file(REDUCE)
    client.start(filters=[], **of_kernel(path, "reduce", 2, 128, "buf:f32:256:iota", "buf:f32:2"))
    shared = next(each for each in client.ask("scopes", frameId=client.frame()["id"])["scopes"]
                  if each["name"] == "Shared")["variablesReference"]
    array = client.children(shared)["s"]
    info = client.ask("dataBreakpointInfo", variablesReference=array["variablesReference"], name="[5]")
    assert info["description"].startswith("s[5]") and "write" in info["accessTypes"], info
    same = client.ask("dataBreakpointInfo", name="s[warpSize - 27]")
    assert same["dataId"] == info["dataId"], same
    client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
    stop = client.go("continue")
    assert stop["reason"] == "data breakpoint" and stop["hitBreakpointIds"], stop
    assert client.line() == line_of(REDUCE, "s[threadIdx.x] = in"), client.frame()
    assert values(client.scope("Built-ins"))["threadIdx"] == "(5, 0, 0)"
    assert client.go("continue")["reason"] == "data breakpoint"
    assert client.line() == line_of(REDUCE, "s[threadIdx.x] +="), client.frame()
    assert client.ask("dataBreakpointInfo", name="h")["dataId"] is None
    # An element of global memory that another block writes, with a condition.
    info = client.ask("dataBreakpointInfo", name="out[1]")
    client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "condition": "blockIdx.x == 1"}])
    stop = client.go("continue")
    assert stop["reason"] == "data breakpoint", stop
    assert values(client.scope("Built-ins", stop["threadId"]))["blockIdx"] == "(1, 0, 0)"
    assert client.line(stop["threadId"]) == line_of(REDUCE, "out[blockIdx.x]")
    assert not client.answer("setDataBreakpoints", breakpoints=[{"dataId": "s[5]"}])["success"]


def watches_a_shuffle_reduction(client):
    path = kernel_file(SHUFFLES)
    at = [{"line": line_of(SHUFFLES, "out[threadIdx.x]")}, {"line": line_of(SHUFFLES, "#define")}]
    client.start(stop_on_entry=False, filters=[], breakpoints={path: at},
                 **of_kernel(path, "sum", 1, 32, "buf:f32:32:iota", "buf:f32:32"))
    # The breakpoint of the macro's definition is at the next line with code.
    moved = client.ask("setBreakpoints", source={"path": path}, breakpoints=at)["breakpoints"]
    assert moved[1]["verified"] and moved[1]["line"] > at[1]["line"], moved
    while client.line() != at[0]["line"]:
        client.go("continue")
    lanes = values(client.children(client.evaluate("s[threadIdx.x]")["variablesReference"]))
    total = sum(i * (5, 6, 7, 8)[i % 4] for i in range(32))
    assert float(lanes["0"]) == 2 * total + 3, lanes
    # Variables of the module: a constant array in its shape, and a device variable.
    assert client.evaluate("weights[1][2]")["result"] == "7", client.evaluate("weights[1][2]")
    assert client.evaluate("weights[0][threadIdx.x] + rounds")["result"] == "4"
    module = client.scope("Global")
    assert len(client.children(module["weights"]["variablesReference"])) == 2, module["weights"]
    answer = set_in(client, "Global", "rounds", "5")
    assert answer["success"] and client.evaluate("rounds")["result"] == "5", answer
    row = client.children(module["weights"]["variablesReference"])["[0]"]["variablesReference"]
    answer = client.answer("setVariable", variablesReference=row, name="[1]", value="9")
    assert not answer["success"], answer


def steps_by_lane_and_block(client):
    path = kernel_file(FAULTS)
    client.end()
    client = Client(PROGRAM, FOLDER)
    client.start(filters=[], stepBy="block", **of_kernel(path, "unwritten", 1, 64, "buf:i32:64"))
    client.go("next")
    assert client.line(1) == client.line(2), (client.frame(1), client.frame(2))
    client.end()
    source = "__global__ void parts(int* a) {\n  if (threadIdx.x < 4)\n    a[0] = 1;\n  else\n    a[1] = 2;\n" \
             "  a[2] = 3;\n}\n"
    path = kernel_file(source, "parts.cu")
    client = Client(PROGRAM, FOLDER)
    client.start(filters=[], stepBy="lane", **of_kernel(path, "parts", 1, 32, "buf:i32:32"))
    client.evaluate("cuda lane 9", "repl")
    client.stopped()
    lines = []
    while client.line() != 6:
        lines.append(client.line())
        client.go("next")
    assert 3 not in lines and 5 in lines, lines
    assert not client.answer("launch", kernel=path, stepBy="grid")["success"]
    return client


def counts_hits_of_functions_and_lines(client):
    path = kernel_file(COUNTING)
    line = line_of(COUNTING, "sum +=")
    client.start(stop_on_entry=False, breakpoints={path: [{"line": line, "hitCondition": "== 4"}]},
                 **of_kernel(path, "count", 1, 32, "buf:i32:32", "i32:50"))
    assert client.evaluate("i")["result"] == "3", client.evaluate("i")
    client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line, "hitCondition": "% 5"}])
    client.go("continue")
    assert client.evaluate("i")["result"] == "8", client.evaluate("i")
    answer = client.answer("setBreakpoints", source={"path": path}, breakpoints=[{"line": line, "hitCondition": "often"}])
    assert not answer["success"] and "often" in answer["message"], answer


def survives_100000_hits_a_second(client):
    """A breakpoint that is hit 100,000 times without stopping, then a log point that prints 20,000 times."""
    path = kernel_file(COUNTING)
    line = line_of(COUNTING, "sum +=")
    rounds = of_kernel(path, "count", 1, 32, "buf:i32:32", "i32:100001")
    begin = time.monotonic()
    client.start(stop_on_entry=False, filters=[], breakpoints={path: [{"line": line, "hitCondition": "== 100000"}]}, **rounds)
    hits = time.monotonic() - begin
    assert client.evaluate("i")["result"] == "99999", client.evaluate("i")
    assert not client.outputs, client.outputs
    client.end()
    client = Client(PROGRAM, FOLDER)
    begin = time.monotonic()
    client.start(stop_on_entry=False, filters=[], breakpoints={path: [{"line": line, "logMessage": "i is {i}"}]},
                 **of_kernel(path, "count", 1, 32, "buf:i32:32", "i32:20000"))
    logs = time.monotonic() - begin
    print(f"100,000 hits in {hits:.2f} s; 20,000 log messages in {logs:.2f} s and {len(client.outputs)} events")
    assert 0 < len(client.outputs) < 20 + 20 * logs, (len(client.outputs), logs)
    assert max(len(each) for each in client.outputs) < (1 << 14) + 200, client.outputs
    return client


def cancels_requests(client):
    path = kernel_file(REDUCE)
    client.start(**of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    first, second = client.sequence + 1, client.sequence + 2
    messages = b""
    for number, command, arguments in ((first, "evaluate", {"expression": "blockDim.x"}),
                                       (second, "cancel", {"requestId": first})):
        body = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments}).encode()
        messages += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    client.sequence = second
    client.send_bytes(messages)
    while second not in client.answers:
        client.read()
    assert client.answers[first]["message"] == "cancelled" and client.answers[second]["success"], client.answers


def shows_what_the_compiler_left(client):
    path = kernel_file(COUNTING)
    client.start(debug=False, **of_kernel(path, "count", 1, 32, "buf:i32:32", "i32:5"))
    local = client.scope("Locals")
    assert len(local) == 1 and "optimi" in next(iter(local.values()))["value"], local
    answer = client.answer("evaluate", expression="sum", context="hover")
    assert not answer["success"] and "sum" in answer["message"], answer


def counts_lines_from_zero(client):
    path = kernel_file(REDUCE)
    client.ask("initialize", adapterID="cudalab", linesStartAt1=False, columnsStartAt1=False)
    client.ask("launch", stopOnEntry=False, **of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    line = line_of(REDUCE, "for (int h") - 1
    client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line}])
    client.ask("configurationDone")
    assert client.stopped()["reason"] == "breakpoint" and client.line() == line, client.frame()


def outlives_a_client_that_disappears(client):
    client.end()
    for words in (("debug-adapter",), ("debug-adapter", "--port", "0")):
        client = Client(PROGRAM, FOLDER, words)
        path = kernel_file(FAULTS)
        client.start(**of_kernel(path, "endless", 1, 32, "buf:i32:32:zero"), filters=[])
        client.send("continue", threadId=1)
        time.sleep(0.2)
        if "--port" in words:
            client.socket.close()
        else:
            client.process.stdin.close()
        assert client.process.wait(20) == 0
    return Client(PROGRAM, FOLDER)


def measures_first_stop_and_steps(client):
    """Prints the times that docs/debugging.md names; the limits here leave room for slow machines."""
    path = kernel_file(COUNTING)
    begin = time.monotonic()
    client.start(**of_kernel(path, "count", 4, 1024, "buf:i32:1024", "i32:100"))
    first, steps = time.monotonic() - begin, []
    for command in ["next"] * 20 + ["stepBack"] * 5:
        begin = time.monotonic()
        client.go(command)
        steps.append(time.monotonic() - begin)
    print(f"kernel: first stop {first:.2f} s, median step {1000 * sorted(steps)[12]:.1f} ms, "
          f"slowest {1000 * max(steps):.1f} ms")
    assert first < 20 and sorted(steps)[12] < 1, (first, steps)


def debugs_a_case_of_an_exercise(client):
    subprocess.run([PROGRAM, "start", "first-transpose", "--into", "."], cwd=FOLDER, check=True, capture_output=True)
    stop = client.start(exercise="first-transpose", case=2, seed=7, cwd=FOLDER)
    assert stop["reason"] == "entry", stop
    assert client.frame()["source"]["path"].endswith("transpose/first-transpose.cu"), client.frame()
    client.end()
    client = Client(PROGRAM, FOLDER)
    assert client.start(exercise="first-transpose", case=99, cwd=FOLDER) is None
    return client


def shows_the_states_of_lanes_and_warps(client):
    path = kernel_file(STATES)
    at = [{"line": line_of(STATES, "a[i] = 2")}, {"line": line_of(STATES, "a[i] = 3")}]
    client.start(stop_on_entry=False, filters=[], breakpoints={path: at}, **of_kernel(path, "states", 1, 64, "buf:i32:64"))

    def states():
        return [each["value"].split(") ")[1] for each in client.scope("Warp").values()]

    assert client.line() == at[0]["line"], client.frame()
    diverged = "diverged: waits for the other path"  # lanes 0 to 3, which go to the end of the kernel
    assert states() == [diverged] * 8 + ["active"] * 24, states()
    client.go("continue")
    assert states() == [diverged] * 4 + ["active"] * 28 and client.line() == at[1]["line"], (states(), client.line())
    rows = client.evaluate("info cuda warps", "repl")["result"].splitlines()
    assert rows[0].startswith("* 0  0xfffffff0") and "barrier" not in rows[0] and rows[1].startswith("  1"), rows
    assert client.evaluate("info cuda lanes", "repl")["result"].splitlines()[4].endswith("4  (4, 0, 0) active")
    assert client.evaluate("cuda kernel", "repl")["result"].startswith("1  states<<<")


def shows_lanes_that_have_ended_or_wait_at_a_barrier(client):
    path = kernel_file(LEAVING)
    at = {path: [{"line": line_of(LEAVING, "a[i] = 2")}]}
    client.start(stop_on_entry=False, filters=[], breakpoints=at, **of_kernel(path, "leaving", 1, 64, "buf:i32:64"))
    lanes = client.ask("cudalab/warp")["lanes"]
    assert [each["active"] for each in lanes] == [False] * 8 + [True] * 24, lanes
    states = [each["state"] for each in lanes]
    assert states == ["ended"] * 4 + ["waits at the barrier"] * 4 + ["active"] * 24, states
    rows = client.evaluate("info cuda lanes", "repl")["result"].splitlines()
    assert rows[3].endswith("(3, 0, 0) ended") and rows[4].endswith("(4, 0, 0) waits at the barrier"), rows


def shows_inlined_functions(client):
    path = kernel_file(INLINED)
    at = [{"line": line_of(INLINED, "a[i + 32]")}]
    client.start(stop_on_entry=False, filters=[], debug=False, breakpoints={path: at},
                 **of_kernel(path, "outer", 1, 32, "buf:i32:64"))
    frames = client.ask("stackTrace", threadId=1)["stackFrames"]
    assert [each["name"] for each in frames] == ["inner", "outer"], frames
    assert [each["line"] for each in frames] == [at[0]["line"], line_of(INLINED, "inner(threadIdx.x, a)")], frames


def takes_messages_in_any_order(client):
    """Breakpoints and the end of the configuration may come before or after the launch."""
    path = kernel_file(REDUCE)
    client.ask("initialize", adapterID="cudalab")
    client.ask("setExceptionBreakpoints", filters=[])
    client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line_of(REDUCE, "for (int h")}])
    client.ask("configurationDone")
    client.ask("launch", stopOnEntry=False, **of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    assert client.stopped()["reason"] == "breakpoint"
    assert client.answer("pause", threadId=1)["success"] and client.stopped()["reason"] == "pause"
    assert client.answer("terminate")["success"] and client.event("terminated")
    assert client.answer("stackTrace", threadId=1)["message"] == "notStopped"


def answers_whatever_comes(client):
    assert not client.answer("continue", threadId=1)["success"]
    assert not client.answer_to_wrong("nonsense")["success"]
    assert not client.answer_to_wrong("setBreakpoints", breakpoints=5)["success"]
    client.send_bytes(b"Content-Length: 5\r\n\r\n[1,2]")
    client.send_bytes(b"Content-Length: 3\r\n\r\n{{{")
    assert not client.answer("launch")["success"]
    path = kernel_file(REDUCE)
    client.start(**of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    assert not client.answer("variables", variablesReference=77)["success"]
    assert not client.answer("evaluate", expression="1 +", context="watch")["success"]
    assert not client.answer("evaluate", expression="nothing", context="hover")["success"]
    assert not client.answer("evaluate", expression="cuda block (9,0,0)", context="repl")["success"]
    assert not client.answer("evaluate", expression="cuda thread (999,0,0)", context="repl")["success"]
    assert not client.answer("stackTrace", threadId=99)["success"]
    assert client.answer("evaluate", expression="threadIdx.x + 1", context="watch")["body"]["result"] == "1"


def says_what_is_wrong_with_a_target(client):
    stop = client.start(kernel="missing.cu", arguments=["--kernel", "k"])
    assert stop is None


def serves_a_port(client):
    client.end()
    client = Client(PROGRAM, FOLDER, ("debug-adapter", "--port", "0"))
    path = kernel_file(REDUCE)
    client.start(**of_kernel(path, "reduce", 1, 128, "buf:f32:128:iota", "buf:f32:1"))
    client.go("next")
    client.end()
    client = Client(PROGRAM, FOLDER, ("debug-adapter", "--port", "0"))
    client.send_bytes(b"GET / HTTP/1.1\r\n")
    assert client.process.wait(20) == 0
    return Client(PROGRAM, FOLDER)


def hangs_up_on_browsers(client):
    client.send_bytes(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert client.process.wait(20) == 0
    return None


def scenarios():
    found = {name: each for name, each in globals().items()
             if callable(each) and getattr(each, "__code__", None)
             and each.__code__.co_varnames[:each.__code__.co_argcount] == ("client",)}
    for each in programs.SCENARIOS:
        found[each.__name__] = lambda client, each=each: each(client, PROGRAM, FOLDER)
    return found


if NAME == "--list":
    print("\n".join(scenarios()))
    sys.exit(0)
first = Client(PROGRAM, FOLDER)
last = scenarios()[NAME](first)
first = last or first
if NAME != "hangs_up_on_browsers" and first.process.poll() is None:
    first.end()
