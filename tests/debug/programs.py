"""Scenarios of whole programs: all launches of a run, host code, failing calls, and attaching."""
import os
import re
import signal
import subprocess
import time

from kernels import FAILING, FAULTS, LAMBDA, PROGRAM_OF_STREAMS, SCALED, file_in, line_of, of_kernel, values

HOST = 1000  # the thread of host code


def built(folder, text, name):
    """A program with debug information, as cudalab builds it for a debugger."""
    path = file_in(folder, text, name)
    program = os.path.splitext(path)[0]
    subprocess.run(["nvcc", "-G", "-g", "--cudart", "shared", "-gencode", "arch=compute_90,code=compute_90",
                    "-o", program, path], check=True)
    return path, program


def goes_from_launch_to_launch(client, program, folder):
    path = file_in(folder, PROGRAM_OF_STREAMS, "streams.cu")
    line = line_of(PROGRAM_OF_STREAMS, "a[i] += n")
    stop = client.start(program=path, breakpoints={path: [{"line": line, "condition": "threadIdx.x == 40"}]})
    assert stop["reason"] == "entry", stop
    names = [each["name"] for each in client.ask("threads")["threads"]]
    assert "host" in names[0] and len(names) == 5, names
    host = client.ask("stackTrace", threadId=HOST)["stackFrames"]
    assert host[0]["line"] in range(line_of(PROGRAM_OF_STREAMS, "for (int n"), 15), host
    seen = []
    while stop:
        if stop["reason"] == "breakpoint":
            client.focus = stop["threadId"]
            seen.append((values(client.scope("Arguments", client.focus))["n"],
                         values(client.scope("Built-ins", client.focus))["blockIdx"]))
        stop = client.go("continue")
    assert seen == [(str(n), f"({b}, 0, 0)") for n in (1, 2, 3, 4) for b in (0, 1)], seen


def goes_to_a_launch_by_number(client, program, folder):
    path = file_in(folder, PROGRAM_OF_STREAMS, "streams.cu")
    client.start(program=path)
    assert client.evaluate("cuda kernel", "repl")["result"].startswith("1  add"), client.evaluate("cuda kernel", "repl")
    client.evaluate("cuda kernel 3", "repl")
    assert client.stopped()["reason"] == "entry"
    client.go("next")
    client.go("next")
    assert values(client.scope("Arguments"))["n"] == "3", client.scope("Arguments")
    answer = client.answer("evaluate", expression="cuda kernel 2", context="repl")
    assert not answer["success"] and "3" in answer["message"], answer


def stops_at_an_illegal_launch(client, program, folder):
    path = file_in(folder, FAILING, "failing.cu")
    stop = client.start(stop_on_entry=False, program=path, filters=["cuda_api_error"])
    client.go("continue", thread=HOST)  # after the call of the next scenario
    frame = client.ask("stackTrace", threadId=HOST)["stackFrames"][0]
    assert (frame["line"], frame["source"]["path"]) == (line_of(FAILING, "<<<1, 2048>>>"), path), frame
    info = client.ask("exceptionInfo", threadId=HOST)
    assert info["description"].startswith("fill") and "2048" in info["description"], info
    client.end()
    # Without a program, there is no line that launches: the kernel's own is shown.
    client = type(client)(program, folder)
    path = file_in(folder, FAULTS, "faults.cu")
    stop = client.start(stop_on_entry=False, **of_kernel(path, "beyond", 1, 2048, "buf:i32:32"))
    assert stop["reason"] == "exception" and stop["description"] == "invalid launch", stop
    frame = client.ask("stackTrace", threadId=HOST)["stackFrames"][0]
    assert (frame["line"], frame["source"]["path"]) == (line_of(FAULTS, "void beyond"), path), frame
    assert client.ask("exceptionInfo", threadId=HOST)["exceptionId"] == "invalid_launch"
    assert client.go("continue", thread=HOST) is None
    return client


def stops_at_an_unchecked_error(client, program, folder):
    path = file_in(folder, FAILING, "failing.cu")
    stop = client.start(stop_on_entry=False, program=path)
    assert stop["reason"] == "exception" and stop["threadId"] == HOST, stop
    frame = client.ask("stackTrace", threadId=HOST)["stackFrames"][0]
    assert (frame["name"], frame["line"]) == ("cudaMemset", line_of(FAILING, "cudaMemset")), frame
    info = client.ask("exceptionInfo", threadId=HOST)
    assert info["exceptionId"] == "cuda_api_error" and "cudaErrorInvalidValue" in info["description"], info
    client.end()
    client = type(client)(program, folder)
    assert client.start(stop_on_entry=False, program=path, filters=[]) is None  # not wanted
    return client


def inspects_a_lambda_kernel(client, program, folder):
    path, header = file_in(folder, LAMBDA, "lambda.cu"), file_in(folder, SCALED, "scaled.h")
    at = {path: [{"line": line_of(LAMBDA, "return scaled(")}],
          header: [{"line": line_of(SCALED, "return result"), "condition": "threadIdx.x == 4"}]}
    stop = client.start(stop_on_entry=False, breakpoints=at, program=path, arguments=["--option=--extended-lambda"])
    assert stop["reason"] == "breakpoint" and client.line() == at[path][0]["line"], (stop, client.frame())
    assert client.evaluate("cuda lane 4", "repl") and client.stopped()
    assert values(client.scope("Locals"))["scaled_by"] == "10" and values(client.scope("Arguments"))["i"] == "4"
    caller = client.ask("stackTrace", threadId=1)["stackFrames"][1]
    assert caller["line"] == line_of(LAMBDA, "a[i] = work(i)") and "each" in caller["name"], caller
    captured = client.ask("evaluate", expression="work", frameId=caller["id"])["result"]
    assert captured == "{2.5}", captured
    client.go("continue")
    frame = client.frame()
    assert frame["source"]["path"] == header and client.evaluate("result")["result"] == "11", frame
    client.go("stepOut")
    assert client.frame()["source"]["path"] == path, client.frame()


def measures_first_stop_of_a_built_program(client, program, folder):
    """Prints the time that docs/debugging.md names; the limit here leaves room for slow machines."""
    _, executable = built(folder, PROGRAM_OF_STREAMS, "measured.cu")
    begin = time.monotonic()
    assert client.start(program=executable)["reason"] == "entry"
    seconds = time.monotonic() - begin
    print(f"built program: first stop {seconds:.2f} s")
    assert seconds < 30, seconds


def shows_what_a_program_prints(client, program, folder):
    text = "#include <cstdio>\n__global__ void k() {}\nint main(int n, char** words) {\n  std::printf(\"before %s\\n\", words[1]);\n" \
           "  k<<<1, 32>>>();\n  cudaDeviceSynchronize();\n  std::printf(\"after\\n\");\n  return 3;\n}\n"
    path = file_in(folder, text, "printing.cu")
    client.start(program=path, args=["--launch"], arguments=["--define=N"])
    assert client.printed == "before --launch\n", client.printed
    assert client.go("continue") is None
    assert client.printed == "before --launch\nafter\n", client.printed
    assert client.exit_code == 3


def waiting(program, words, environment=None):
    """A program that waits for a debugger, and the number of its process."""
    process = subprocess.Popen([program, "exec", "--wait", "--", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment)
    return process, int(re.search(rb'"process": (\d+)', process.stderr.readline())[1])


def attaches_to_a_program(client, program, folder):
    path, executable = built(folder, PROGRAM_OF_STREAMS, "attached.cu")
    process, number = waiting(program, [executable])
    line = line_of(PROGRAM_OF_STREAMS, "a[i] += n")
    stop = client.start(request="attach", process=number, stop_on_entry=False,
                        breakpoints={path: [{"line": line, "condition": "n == 2 && i == 7"}]})
    assert stop["reason"] == "breakpoint" and client.line() == line, (stop, client.frame())
    assert client.frame()["source"]["path"] == path, client.frame()
    assert not client.answer("restart")["success"]
    client.end()  # the program goes on alone
    out, report = process.communicate(timeout=60)
    assert process.returncode == 1 and out == b"done\n" and b"not ordered" in report, (out, report)


def ends_a_program_that_it_attached_to(client, program, folder):
    _, executable = built(folder, PROGRAM_OF_STREAMS, "ended.cu")
    folder_of_sockets = os.path.join(folder, "runtime")
    os.mkdir(folder_of_sockets, 0o700)
    answer = client.answer("attach", process="x")
    assert not answer["success"], answer
    os.environ["XDG_RUNTIME_DIR"] = folder_of_sockets
    other = type(client)(program, folder)
    process, number = waiting(program, [executable])
    socket = os.path.join(folder_of_sockets, "cudalab", f"attach-{number}")
    assert os.stat(os.path.dirname(socket)).st_mode & 0o777 == 0o700 and os.path.exists(socket)
    assert other.start(request="attach")["reason"] == "entry"  # the only program that waits
    assert not os.path.exists(socket)
    other.ask("terminate")
    out, _ = process.communicate(timeout=60)
    assert process.returncode != 0 and out == b"", (process.returncode, out)
    assert other.event("terminated")
    other.end()
    # A debugger is waited for until Ctrl-C.
    process, number = waiting(program, [executable])
    socket = os.path.join(folder_of_sockets, "cudalab", f"attach-{number}")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 4 and not os.path.exists(socket), process.returncode
    other = type(client)(program, folder)
    assert other.start(request="attach", process=number) is None
    other.end()


def serves_while_a_program_runs(client, program, folder):
    path = file_in(folder, "#include <unistd.h>\nint main() {\n  int* a;\n  cudaMalloc(&a, 4);\n  sleep(60);\n}\n",
                   "sleeping.cu")
    client.ask("initialize", adapterID="cudalab")
    client.ask("launch", program=path)
    client.ask("configurationDone")
    begin = time.monotonic()
    threads = client.ask("threads")["threads"]
    assert len(threads) == 1 and threads[0]["id"] == HOST, threads
    assert not client.answer("stackTrace", threadId=HOST)["success"]
    client.ask("pause", threadId=HOST)
    client.ask("terminate")
    client.event("terminated")
    assert time.monotonic() - begin < 30


SCENARIOS = (goes_from_launch_to_launch, goes_to_a_launch_by_number, stops_at_an_illegal_launch,
             stops_at_an_unchecked_error, inspects_a_lambda_kernel, measures_first_stop_of_a_built_program,
             shows_what_a_program_prints, attaches_to_a_program, ends_a_program_that_it_attached_to, serves_while_a_program_runs)
