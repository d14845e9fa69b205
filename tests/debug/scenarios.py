"""Features of the debugger, tested over the protocol: `scenarios.py PROGRAM SOURCE_FOLDER NAME`."""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from client import Client  # noqa: E402

PROGRAM, SOURCE, NAME = sys.argv[1:4]
FOLDER = tempfile.mkdtemp(prefix="cudalab-debug-")

REDUCE = """__global__ void reduce(const float* in, float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int h = 64; h > 0; h /= 2)
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
"""
TYPES = """struct Pair { int x; double y; };
template <class T, int N> __device__ T twice(T v) {
  T result = v * N;
  return result;
}
template <class T> __global__ void inspect(T* out) {
  __shared__ T grid[4][8];
  Pair pair{(int)threadIdx.x, 0.5};
  float4 v = make_float4(1, 2, 3, threadIdx.x);
  grid[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
  __syncthreads();
  T value = twice<T, 2>(grid[3][threadIdx.x % 8]);
  out[threadIdx.x] = value + pair.x + v.w;
}
template __global__ void inspect<float>(float*);
"""
FAULTS = """__global__ void misaligned(char* p) { *(int*)(p + 1) = 1; }
__global__ void beyond(int* p) { p[threadIdx.x + 8] = 1; }
__global__ void unwritten(int* p) {
  __shared__ int s[32];
  p[threadIdx.x] = s[threadIdx.x];
}
__global__ void divergent(int* p) {
  if (threadIdx.x < 40) __syncthreads();
  p[threadIdx.x] = 1;
}
__global__ void endless(volatile int* p) {
  while (p[0] == 0)
    p[1] = p[1] + 1;
}
"""
PROGRAM_OF_STREAMS = """#include <cstdio>
__global__ void add(int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] += n;
}
int main() {
  cudaStream_t s[2];
  for (auto& each : s) cudaStreamCreate(&each);
  int* a;
  cudaMalloc(&a, 1024);
  cudaMemset(a, 0, 1024);
  for (int n = 1; n <= 4; ++n) add<<<2, 128, 0, s[n % 2]>>>(a, n);
  cudaDeviceSynchronize();
  std::printf("done\\n");
}
"""


def kernel_file(text, name="k.cu"):
    path = os.path.join(FOLDER, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def of_kernel(path, name, grid, block, *arguments):
    words = ["--kernel", name, "--grid", str(grid), "--block", str(block)]
    for each in arguments:
        words += ["--arg", each]
    return {"kernel": path, "arguments": words}


def line_of(text, part):
    return next(i for i, line in enumerate(text.split("\n"), 1) if part in line)


def values(variables):
    return {name: each["value"] for name, each in variables.items()}


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
    local = values(client.scope("Locals", client.focus))
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
    assert shared["type"] == "f32" and len(client.children(shared["variablesReference"])) == 128


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


def answers_whatever_comes(client):
    assert not client.answer("continue", threadId=1)["success"]
    assert not client.answer("nonsense")["success"]
    assert not client.answer("setBreakpoints", breakpoints=5)["success"]
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


if NAME == "--list":
    print("\n".join(name for name, each in list(globals().items())
                    if callable(each) and getattr(each, "__code__", None)
                    and each.__code__.co_varnames[:1] == ("client",)))
    sys.exit(0)
first = Client(PROGRAM, FOLDER)
last = globals()[NAME](first)
first = last or first
if NAME != "hangs_up_on_browsers":
    first.end()
