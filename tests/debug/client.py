"""A client of the Debug Adapter Protocol: sends requests, keeps events, checks every message against the specification."""
import json
import os
import re
import select
import socket
import subprocess

import protocol


class Client:
    def __init__(self, program, folder=None, words=("debug-adapter",), seconds=60):
        self.process = subprocess.Popen([program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE if "--port" in words else None, cwd=folder)
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        if "--port" in words:
            port = int(re.search(rb"127\.0\.0\.1:(\d+)", self.process.stderr.readline()).group(1))
            self.socket = socket.create_connection(("127.0.0.1", port))
            self.input = self.output = self.socket.fileno()
        self.seconds, self.sequence, self.bytes, self.last = seconds, 0, b"", 0
        self.events, self.answers = [], {}
        self.outputs = []
        self.printed, self.exit_code = "", None  # by the program

    # ---- messages ----
    def send_bytes(self, data):
        os.write(self.input, data)

    def send(self, command, **arguments):
        """Sends a request that the protocol allows; wrong ones are for send_wrong()."""
        request = {"seq": self.sequence + 1, "type": "request", "command": command, "arguments": arguments}
        protocol.check(request)
        return self.send_wrong(command, arguments)

    def send_wrong(self, command, arguments):
        self.sequence += 1
        body = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.sequence

    def read(self):
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        header, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        length = int(header.split(b":")[1])
        while len(self.bytes) < length:
            self.more()
        message, self.bytes = json.loads(self.bytes[:length]), self.bytes[length:]
        protocol.check(message)
        assert message["seq"] == self.last + 1, message
        self.last = message["seq"]
        if message["type"] == "event":
            self.keep(message)
        else:
            self.answers[message["request_seq"]] = message
        return message

    def keep(self, event):
        self.events.append(event)
        if event["event"] == "output":
            self.outputs.append(event["body"]["output"])
        if event["event"] == "output" and event["body"].get("category") == "stdout":
            self.printed += event["body"]["output"]
        if event["event"] == "exited":
            self.exit_code = event["body"]["exitCode"]

    def more(self):
        ready, _, _ = select.select([self.output], [], [], self.seconds)
        data = os.read(self.output, 65536) if ready else b""
        if not data:
            raise EOFError("the adapter said no more")
        self.bytes += data

    def answer(self, command, **arguments):
        return self.answer_to(self.send(command, **arguments))

    def answer_to_wrong(self, command, **arguments):
        return self.answer_to(self.send_wrong(command, arguments))

    def answer_to(self, number):
        while number not in self.answers:
            self.read()
        return self.answers.pop(number)

    def ask(self, command, **arguments):
        answer = self.answer(command, **arguments)
        assert answer["success"], answer
        return answer["body"]

    def event(self, *names):
        """The next event of one of these names; those before it are dropped."""
        while True:
            while self.events:
                event = self.events.pop(0)
                if event["event"] in names:
                    return event
            self.read()

    # ---- steps that most scenarios share ----
    def start(self, stop_on_entry=True, breakpoints=None, functions=(), filters=None, request="launch", **launch):
        capabilities = self.ask("initialize", adapterID="cudalab", linesStartAt1=True)
        self.event("initialized")
        number = self.send(request, stopOnEntry=stop_on_entry, **launch)
        for path, lines in (breakpoints or {}).items():
            self.ask("setBreakpoints", source={"path": path}, breakpoints=lines)
        if functions:
            self.ask("setFunctionBreakpoints", breakpoints=[{"name": each} for each in functions])
        if filters is None:
            filters = [each["filter"] for each in capabilities["exceptionBreakpointFilters"]]
        self.ask("setExceptionBreakpoints", filters=filters)
        self.ask("configurationDone")
        assert number in self.answers and self.answers.pop(number)["success"]
        return self.stopped()

    def stopped(self):
        event = self.event("stopped", "terminated")
        return event["body"] if event["event"] == "stopped" else None

    def go(self, command, **arguments):
        self.ask(command, threadId=arguments.pop("thread", self.thread()), **arguments)
        return self.stopped()

    def thread(self):
        return getattr(self, "focus", 1)

    def frame(self, thread=1):
        return self.ask("stackTrace", threadId=thread)["stackFrames"][0]

    def line(self, thread=None):
        return self.frame(thread or self.thread())["line"]

    def scope(self, name, thread=1):
        """Names and values of a scope."""
        for each in self.ask("scopes", frameId=self.frame(thread)["id"])["scopes"]:
            if each["name"].startswith(name):
                return self.children(each["variablesReference"])
        raise KeyError(name)

    def children(self, reference):
        return {each["name"]: each for each in self.ask("variables", variablesReference=reference)["variables"]}

    def evaluate(self, expression, context="watch"):
        return self.ask("evaluate", expression=expression, context=context)

    def end(self):
        self.ask("disconnect")
        self.process.stdin.close()
        assert self.process.wait(self.seconds) == 0

