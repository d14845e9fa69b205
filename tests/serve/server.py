"""Starts `cudalab serve` for a test, in a temporary course folder."""
import http.client
import json
import os
import pathlib
import re
import subprocess
import tempfile

PROGRAM = os.environ.get("CUDALAB_PROGRAM", "cudalab")


class Workbook:
    def __init__(self, *options, environment=None, language="C.UTF-8"):
        self.place = tempfile.TemporaryDirectory(prefix="cudalab-serve-test-")
        self.folder = pathlib.Path(self.place.name) / "course"
        own = {**os.environ, "LC_ALL": language, **(environment or {})}
        subprocess.run([PROGRAM, "start", "all", "--into", str(self.folder)], check=True, stdout=subprocess.DEVNULL, env=own)
        self.options, self.environment = options, own
        self.start()

    def start(self, *options, **environment):
        self.process = subprocess.Popen([PROGRAM, "serve", *self.options, *options, str(self.folder)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**self.environment, **environment})
        self.url = ""
        for line in self.process.stdout:
            if "http://" in line:
                self.url = line.strip()
                break
        if not self.url:
            raise RuntimeError(self.process.stderr.read())
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        self.token = self.url.split("token=")[1]
        self.host = f"127.0.0.1:{self.port}"

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close(), self.process.stderr.close()

    def start_again(self):
        """With the same address, as a learner does who chose the port and the token."""
        self.start("--port", str(self.port), CUDALAB_TOKEN=self.token)

    def close(self):
        self.end()
        self.place.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def cookie(self):
        return f"cudalab-{self.port}={self.token}"

    def request(self, method, path, body=None, headers=None):
        """Sends a request as the page does, with cookie and origin. Returns status, headers and body."""
        sent = {"Host": self.host, "Cookie": self.cookie, "Origin": f"http://{self.host}"}
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def json(self, method, path, body=None):
        status, _, text = self.request(method, path, body)
        return status, json.loads(text)
