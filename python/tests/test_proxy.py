"""The entry point for jupyter-server-proxy, used as the proxy does: it fills the slots, starts the command and forwards requests."""
import http.client
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

from cudalab import proxy

SITE = {"Host": "hub.example.org", "Origin": "https://hub.example.org", "Cookie": "jupyter=1"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxy(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="cudalab {proxy} ")
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(place.name)
        self.settings = proxy.workbook()
        self.port = free_port()
        self.words = [word.format(port=self.port) for word in self.settings["command"](self.port)]

    def start(self):
        variables = {name: value.format(port=self.port) for name, value in self.settings["environment"].items()}
        server = subprocess.Popen(self.words, stdout=subprocess.DEVNULL, env={**os.environ, **variables})
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        end = time.monotonic() + self.settings["timeout"]
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except ConnectionRefusedError:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)

    def request(self, method, path, body=None, headers=None):
        """What the proxy sends for a browser's request."""
        override = {name: value.format(port=self.port) for name, value in self.settings["request_headers_override"].items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body, {**SITE, "Content-Type": "application/json", **(headers or {}), **override})
        response = connection.getresponse()
        with connection.sock or response:
            return response.status, response.read()

    def test_the_first_start_makes_a_course(self):
        self.assertEqual(pathlib.Path(self.words[-1]), pathlib.Path.cwd() / "cudalab-course")
        self.assertTrue((pathlib.Path(self.words[-1]) / "cudalab.json").is_file())
        os.chdir("cudalab-course/transpose")
        self.assertEqual(pathlib.Path(proxy.command(1)[-1].format()), pathlib.Path(self.words[-1]))

    def test_the_page_and_its_changes_pass_the_proxy(self):
        self.start()
        self.assertEqual(self.request("GET", "/")[0], 200)
        status, course = self.request("GET", "/api/course")
        self.assertEqual((status, json.loads(course)["folder"]), (200, "cudalab-course"))
        self.assertEqual(self.request("POST", "/api/exercise/first-transpose/hint", "{}")[0], 200)

    def test_events_reach_the_page_at_once(self):
        """A proxy passes a chunk on when it arrives. It may collect a body that only the end of the connection ends."""
        self.start()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {name: value.format(port=self.port) for name, value in self.settings["request_headers_override"].items()}
        connection.request("GET", "/api/events", headers={**headers, "Accept": "text/event-stream"})
        events = connection.getresponse()
        with events:
            self.assertEqual(events.headers["Transfer-Encoding"], "chunked")
            self.assertEqual(events.readline(), b"retry: 1000\n")

    def test_requests_of_other_sites_and_of_other_programs_are_refused(self):
        self.start()
        self.assertEqual(self.request("POST", "/api/exercise/first-transpose/hint", "{}", {"Sec-Fetch-Site": "cross-site"})[0], 403)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/api/course")
        self.assertEqual(connection.getresponse().status, 401)
        connection.close()

    def test_the_token_is_in_no_command_and_new_for_each_jupyter(self):
        tokens = [settings["environment"]["CUDALAB_TOKEN"] for settings in (self.settings, proxy.workbook())]
        self.assertNotEqual(*tokens)
        self.assertNotIn(tokens[0], " ".join(self.words))


if __name__ == "__main__":
    unittest.main()
