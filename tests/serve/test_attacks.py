"""Attacks on `cudalab serve`, each of which must fail: requests over raw sockets, files behind links, and hostile programs."""
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import threading
import time
import unittest

from server import PROGRAM, Workbook

REFUSED = {400, 401, 403, 404, 405, 411, 413, 415, 431, 501, 505}


class Attacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.book = Workbook()
        cls.outside = cls.book.folder.parent / "secret.cu"
        cls.outside.write_text("SECRET\n")

    @classmethod
    def tearDownClass(cls):
        cls.book.close()

    def raw(self, data, wait=5):
        """Sends bytes, and returns the response until the server closes the connection or is silent."""
        with socket.create_connection(("127.0.0.1", self.book.port), timeout=wait) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            answer = b""
            try:
                while piece := connection.recv(65536):
                    answer += piece
            except OSError:
                pass
            return answer

    def head(self, method="GET", target="/api/course", *more, host=None, cookie=True, origin=None):
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or self.book.host}"]
        lines += [f"Cookie: {self.book.cookie}"] * cookie + [f"Origin: {origin}"] * (origin is not None) + list(more)
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def status(self, data):
        answer = self.raw(data)
        found = re.match(rb"HTTP/1.1 (\d+)", answer)
        return int(found[1]) if found else None

    def refused(self, data):
        status = self.status(data)
        self.assertIn(status, REFUSED, data[:200])
        return status

    def job(self, order):
        status, answer = self.book.json("POST", "/api/jobs", order)
        self.assertEqual(status, 200, answer)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            _, job = self.book.json("GET", f"/api/jobs/{answer['id']}")
            if job["done"]:
                return job
            time.sleep(0.05)
        self.fail(f"{order} does not end")

    def put(self, path, text):
        (self.book.folder / path).write_text(text)

    # ---- authentication ----------------------------------------------------------------------------------------------

    def test_the_page_itself_is_reachable(self):
        self.assertEqual(self.status(self.head("GET", "/")), 200)

    def test_nothing_without_the_token(self):
        for target in ("/", "/app.js", "/api/course", "/api/file?path=transpose/padded-tile.cu", "/api/events", "/api/page/1"):
            self.assertEqual(self.status(self.head("GET", target, cookie=False)), 401, target)

    def test_wrong_tokens(self):
        token = self.book.token
        other = ("1" if token.startswith("0") else "0") + token[1:]
        for wrong in ("", token[:-1], token + "0", "0" * len(token), other):
            self.assertEqual(self.status(self.head("GET", "/", f"Cookie: cudalab-{self.book.port}={wrong}", cookie=False)), 401)
            self.assertEqual(self.status(self.head("GET", f"/?token={wrong}", cookie=False)), 401)

    def test_a_cookie_of_another_port(self):
        self.assertEqual(self.status(self.head("GET", "/", f"Cookie: cudalab-1={self.book.token}", cookie=False)), 401)

    def test_the_token_opens_only_the_first_page(self):
        self.assertEqual(self.status(self.head("GET", f"/api/course?token={self.book.token}", cookie=False)), 401)

    def test_two_cookies_headers(self):
        self.assertEqual(self.status(self.head("GET", "/", f"Cookie: {self.book.cookie}")), 401)

    def test_the_cookie_is_hidden_from_scripts_and_other_sites(self):
        answer = self.raw(self.head("GET", f"/?token={self.book.token}", cookie=False)).decode()
        cookie = re.search(r"Set-Cookie: (.*)\r\n", answer)[1]
        for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, cookie)

    def test_dns_rebinding(self):
        for host in ("evil.example", f"evil.example:{self.book.port}", f"127.0.0.1.evil.example:{self.book.port}", "127.0.0.1",
                     f"127.0.0.1:{self.book.port}@evil.example", f"0.0.0.0:{self.book.port}", f"127.0.0.1:{self.book.port}, evil.example"):
            self.assertEqual(self.status(self.head(host=host)), 403, host)

    def test_requests_of_other_sites(self):
        body = b'{"kind": "check", "exercise": "padded-tile"}'
        for origin in ("http://evil.example", "null", "", f"http://127.0.0.1:{self.book.port + 1}", f"https://{self.book.host}",
                       f"http://{self.book.host}.evil.example", f"http://localhost:{self.book.port}"):
            head = self.head("POST", "/api/jobs", "Content-Type: application/json", f"Content-Length: {len(body)}", origin=origin)
            self.assertEqual(self.status(head + body), 403, origin)

    def test_a_change_without_an_origin(self):
        for method in ("POST", "PUT", "DELETE"):
            self.assertEqual(self.status(self.head(method, "/api/jobs/1", "Content-Length: 2") + b"{}"), 403)

    def test_what_a_browser_says_of_another_site(self):
        for site in ("cross-site", "same-site"):
            self.assertEqual(self.status(self.head("GET", "/api/course", f"Sec-Fetch-Site: {site}", "Sec-Fetch-Mode: no-cors")), 403)

    def test_a_form_of_another_type(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            head = self.head("POST", "/api/jobs", f"Content-Type: {kind}", "Content-Length: 2", origin=f"http://{self.book.host}")
            self.assertEqual(self.status(head + b"{}"), 415)

    def test_other_methods(self):
        for method in ("TRACE", "CONNECT", "OPTIONS", "PATCH", "PROPFIND", "get"):
            self.assertEqual(self.status(self.head(method, "/")), 405, method)

    def test_the_token_is_in_no_process_list(self):
        self.job({"kind": "check", "exercise": "padded-tile"})
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                self.assertNotIn(self.book.token.encode(), entry.read_bytes())
            except OSError:
                pass

    # ---- file access ------------------------------------------------------------------------------------------------

    def test_paths_out_of_the_folder(self):
        for path in ("../secret.cu", "..%2fsecret.cu", "%2e%2e/secret.cu", "transpose/../../secret.cu", "/etc/passwd", "//etc/passwd",
                     str(self.outside), "..%5csecret.cu", "transpose/..%252f..%252fsecret.cu", "%00", "transpose/padded-tile.cu%00.cu",
                     "transpose%2F..%2F..%2Fsecret.cu", "cudalab.json", "transpose/README.md", ".hidden.cu", "transpose", "", "%ff%fe.cu"):
            answer = self.raw(self.head("GET", f"/api/file?path={path}"))
            self.assertNotIn(b"SECRET", answer, path)
            self.assertIn(int(answer.split()[1]), {400, 404}, path)

    def test_targets_out_of_the_page(self):
        for target in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/secret.cu", "/./app.js", "//app.js", "/app.js%00", "/web/app.js",
                       "\\..\\secret.cu", "http://evil.example/", "*", "/app.js#x\x01", "/%", "/%4", "/%zz", "/test/words.test.js"):
            self.assertIn(self.status(self.head("GET", target)), {400, 404}, target)

    def test_links_out_of_the_folder(self):
        (self.book.folder / "link.cu").symlink_to(self.outside)
        (self.book.folder / "linked").symlink_to(self.book.folder.parent)
        (self.book.folder / "proc.cu").symlink_to("/proc/self/environ")
        try:
            for path in ("link.cu", "linked/secret.cu", "proc.cu"):
                status, answer = self.book.json("GET", f"/api/file?path={path}")
                self.assertEqual(status, 404, path)
                self.assertNotIn("SECRET", json.dumps(answer))
                status, _ = self.book.json("PUT", "/api/file", {"path": path, "text": "overwritten", "digest": ""})
                self.assertEqual(status, 400, path)
                status, _ = self.book.json("POST", "/api/jobs", {"kind": "run", "file": path, "words": []})
                self.assertEqual(status, 400, path)
            self.assertEqual(self.outside.read_text(), "SECRET\n")
            _, course = self.book.json("GET", "/api/course")
            self.assertNotIn("link.cu", course["files"])
        finally:
            for name in ("link.cu", "linked", "proc.cu"):
                (self.book.folder / name).unlink()

    def test_an_exercise_behind_a_link(self):
        file = self.book.folder / "transpose/padded-tile.cu"
        kept = file.read_text()
        file.unlink()
        file.symlink_to(self.outside)
        try:
            for name in ("reset",):
                status, _ = self.book.json("POST", f"/api/exercise/padded-tile/{name}", {})
                self.assertEqual(status, 400)
            self.assertEqual(self.book.json("POST", "/api/jobs", {"kind": "check", "exercise": "padded-tile"})[0], 400)
            self.assertEqual(self.outside.read_text(), "SECRET\n")
        finally:
            file.unlink()
            file.write_text(kept)

    def test_files_that_are_none(self):
        os.mkfifo(self.book.folder / "pipe.cu")
        (self.book.folder / "folder.cu").mkdir()
        (self.book.folder / "large.cu").write_bytes(b"x" * (600 << 10))
        try:
            began = time.monotonic()
            for path in ("pipe.cu", "folder.cu", "large.cu"):
                self.assertEqual(self.book.json("GET", f"/api/file?path={path}")[0], 404, path)
            for path in ("pipe.cu", "folder.cu"):
                self.assertEqual(self.book.json("PUT", "/api/file", {"path": path, "text": "", "digest": ""})[0], 400, path)
            self.assertLess(time.monotonic() - began, 5)
        finally:
            (self.book.folder / "pipe.cu").unlink(), (self.book.folder / "large.cu").unlink(), (self.book.folder / "folder.cu").rmdir()

    def test_names_of_labs_exercises_and_jobs(self):
        for target in ("/api/lab/..", "/api/lab/%2e%2e", "/api/lab/..%2ftranspose", "/api/lab/nothing", "/api/exercise/..", "/api/exercise/a%2fb",
                       "/api/jobs/-1", "/api/jobs/99999999999999999999999", "/api/jobs/x", "/api/page/0", "/api/lab//quiz", "/api/",
                       "/api/trace/0", "/api/trace/x", "/api/trace/", "/api/lab/nothing/lesson", "/api/lab/../lesson",
                       "/api/options/serve", "/api/options/grade", "/api/options/", "/api/options/%2e%2e"):
            self.assertIn(self.status(self.head("GET", target)), {400, 404}, target)

    def test_a_save_over_another_editors_text(self):
        _, file = self.book.json("GET", "/api/file?path=dot/whole-warps.cu")
        self.put("dot/whole-warps.cu", "// from elsewhere\n")
        status, answer = self.book.json("PUT", "/api/file", {"path": file["path"], "text": "// mine\n", "digest": file["digest"]})
        self.assertEqual((status, answer["text"]), (409, "// from elsewhere\n"))
        self.put("dot/whole-warps.cu", file["text"])

    # ---- malformed and large requests -------------------------------------------------------------------------------

    def test_malformed_requests(self):
        own = f"Host: {self.book.host}"
        for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET /\r\n\r\n", f"GET / HTTP/1.1 \r\n{own}\r\n\r\n".encode(), f"GET  / HTTP/1.1\r\n{own}\r\n\r\n".encode(),
                     f"G\0T / HTTP/1.1\r\n{own}\r\n\r\n".encode(), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", f"GET / HTTP/2.0\r\n{own}\r\n\r\n".encode(),
                     f"GET / FTP/1.1\r\n{own}\r\n\r\n".encode(), b"GET / HTTP/1.1\r\n\r\n", f"GET / HTTP/1.1\r\n{own}\r\n{own}\r\n\r\n".encode(),
                     f"GET / HTTP/1.1\r\n{own}\r\nbad header: x\r\n\r\n".encode(), f"GET / HTTP/1.1\r\n{own}\r\n folded\r\n\r\n".encode(),
                     f"GET / HTTP/1.1\r\n{own}\r\nX: a\x00b\r\n\r\n".encode(), f"GET / HTTP/1.1\r\n{own}\r\nX: a\rb\r\n\r\n".encode(),
                     f"GET / HTTP/1.1\r\n{own}\r\n: x\r\n\r\n".encode()):
            self.refused(data)

    def test_smuggled_requests(self):
        second = f"GET /api/course HTTP/1.1\r\nHost: {self.book.host}\r\n\r\n"
        for more in (["Transfer-Encoding: chunked"], ["Content-Length: 4", "Transfer-Encoding: chunked"], ["Content-Length: 4", "Content-Length: 5"],
                     ["Content-Length: 4, 4"], ["Content-Length: +4"], ["Content-Length: 0x4"], ["Content-Length: -1"], ["Content-Length: 4 4"],
                     ["Transfer-Encoding: xchunked"], ["Content-Length:"]):
            data = self.head("POST", "/api/jobs", *more, origin=f"http://{self.book.host}") + b"0\r\n\r\n" + second.encode()
            answer = self.raw(data)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, more)
            self.assertIn(int(answer.split()[1]), REFUSED, more)

    def test_bodies_that_are_too_large_or_not_announced(self):
        origin = f"http://{self.book.host}"
        self.assertEqual(self.refused(self.head("POST", "/api/jobs", "Content-Length: 1048577", origin=origin)), 413)
        self.assertEqual(self.refused(self.head("POST", "/api/jobs", "Content-Length: 99999999999999999999", origin=origin)), 413)
        self.assertEqual(self.refused(self.head("POST", "/api/jobs", origin=origin)), 411)

    def test_heads_that_are_too_large(self):
        self.assertEqual(self.refused(self.head("GET", "/" + "a" * 20000)), 431)
        self.assertEqual(self.refused(self.head("GET", "/", *[f"X{i}: y" for i in range(100)])), 431)
        self.assertEqual(self.refused(b"GET / HTTP/1.1\r\nX: " + b"a" * 20000), 431)

    def test_endless_heads_do_not_fill_the_memory(self):
        before = self.memory()
        with socket.create_connection(("127.0.0.1", self.book.port), timeout=5) as connection:
            try:
                for i in range(20000):
                    connection.sendall(b"X%d: " % i + b"a" * 7000 + b"\r\n")
            except OSError:
                pass  # the server has closed the connection
        self.assertLess(self.memory() - before, 16 << 20)

    def memory(self):
        pages = pathlib.Path(f"/proc/{self.book.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def test_odd_json(self):
        deep = "[" * 20000 + "]" * 20000
        for body in ("", "null", "[]", '"x"', "{", '{"kind": 1}', '{"kind": "check"}', '{"kind": "check", "exercise": 7}', '{"kind": "check", "exercise": "../x"}',
                     '{"kind": "lab", "words": "transpose"}', '{"kind": "lab", "words": [1]}', '{"kind": "lab", "words": []}', '{"kind": "lab", "words": ["grade"]}',
                     '{"kind": "compare", "before": -1, "after": 1e99}', '{"kind": "run", "file": "\\u0000.cu", "words": []}', deep, '{"kind": ' + deep + "}",
                     '{"kind": "lab", "words": ' + json.dumps(["transpose"] * 1000) + "}", "\xff\xfe"):
            status, _, _ = self.book.request("POST", "/api/jobs", body.encode("latin-1"), {"Content-Type": "application/json"})
            self.assertIn(status, {400, 404}, body[:80])

    def test_predictions_that_are_none(self):
        for body in ({}, {"step": 0, "answer": "1"}, {"step": 1}, {"step": 1, "answer": "many"}, {"step": 1, "answer": "nan"}, {"step": 1, "answer": 7},
                     {"step": -1, "answer": "1"}, {"step": 10**18, "answer": "1"}, {"step": "1", "answer": "1"}):
            self.assertEqual(self.book.json("POST", "/api/lab/transpose/predict", body)[0], 400, body)

    def test_debugging_of_what_does_not_exist(self):
        for more in ({"block": "x"}, {"warp": "--json"}, {"block": ["/etc"]}, {"case": "1"}, {"hazard": 1}):
            status, _ = self.book.json("POST", "/api/jobs", {"kind": "debug", "exercise": "padded-tile", **more})
            self.assertEqual(status, 400, more)
        for more in ({"case": 99}, {"case": -1}, {"warp": 4000000000}, {"block": [7, 7, 7]}, {"block": [1] * 50}):
            job = self.job({"kind": "debug", "exercise": "padded-tile", **more})
            self.assertFalse(job["trace"], more)
            self.assertNotEqual(job["errors"], "", more)

    def test_commands_that_are_not_labs(self):
        for words in (["grade", "x"], ["serve"], ["exec", "--", "/bin/sh"], ["--help"], ["transpose;id"], ["solution", "padded-tile", "--give-up"], [""]):
            status, _ = self.book.json("POST", "/api/jobs", {"kind": "lab", "words": words})
            self.assertEqual(status, 400, words)

    # ---- slow and many clients --------------------------------------------------------------------------------------

    def answers_soon(self):
        began = time.monotonic()
        self.assertEqual(self.book.request("GET", "/app.js")[0], 200)
        self.assertLess(time.monotonic() - began, 2)

    def test_clients_that_send_slowly(self):
        clients = [socket.create_connection(("127.0.0.1", self.book.port)) for _ in range(60)]
        try:
            for client in clients:
                client.sendall(b"GET / HT")
            self.answers_soon()
        finally:
            for client in clients:
                client.close()

    def test_clients_that_do_not_read(self):
        clients = [socket.create_connection(("127.0.0.1", self.book.port)) for _ in range(20)]
        try:
            for client in clients:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.sendall(self.head("GET", "/api/lab/transpose") * 50)
            self.answers_soon()
        finally:
            for client in clients:
                client.close()

    def test_a_stream_that_is_not_read(self):
        with socket.create_connection(("127.0.0.1", self.book.port)) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(self.head("GET", "/api/events"))
            for i in range(3):
                self.put("noise.cu", f"// {i}\n")
                time.sleep(0.6)
            self.answers_soon()
        (self.book.folder / "noise.cu").unlink()

    def test_more_connections_than_there_is_room_for(self):
        clients = []
        try:
            for _ in range(400):
                clients.append(socket.create_connection(("127.0.0.1", self.book.port), timeout=5))
            self.answers_soon()
        finally:
            for client in clients:
                client.close()

    def test_a_request_that_never_ends_is_closed(self):
        with socket.create_connection(("127.0.0.1", self.book.port), timeout=20) as client:
            client.sendall(b"GET / HTTP/1.1\r\n")
            began = time.monotonic()
            try:
                while client.recv(1024):  # a byte now and then does not extend the limit
                    pass
            except OSError:
                pass
            self.assertLess(time.monotonic() - began, 15)

    def test_more_jobs_than_there_is_room_for(self):
        self.put("slow.cu", SLOW)
        order = {"kind": "run", "file": "slow.cu", "words": ["--kernel", "slow", "--grid", "1", "--block", "1", "--arg", "buf:i32:1:zero"]}
        ids, statuses = [], []
        for _ in range(8):
            status, answer = self.book.json("POST", "/api/jobs", order)
            statuses.append(status)
            ids += [answer["id"]] if status == 200 else []
        self.answers_soon()
        for each in ids:
            self.book.json("DELETE", f"/api/jobs/{each}", {})
        self.assertEqual(statuses.count(200), 4)
        self.assertEqual(statuses.count(503), 4)
        end = time.monotonic() + 10
        while not all(self.book.json("GET", f"/api/jobs/{each}")[1]["done"] for each in ids):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    # ---- output as text ----------------------------------------------------------------------------------------------

    def test_pages_are_confined(self):
        _, headers, _ = self.book.request("GET", "/")
        policy = headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")

    def test_result_pages_run_apart(self):
        job = self.job({"kind": "check", "exercise": "padded-tile"})
        self.assertTrue(job["page"], job)
        _, headers, page = self.book.request("GET", f"/api/page/{job['id']}")
        self.assertIn("sandbox allow-scripts;", headers["Content-Security-Policy"])
        self.assertNotIn("allow-same-origin", headers["Content-Security-Policy"])
        self.assertIn(b"padded-tile", page)

    def test_what_a_kernel_prints_is_text(self):
        self.put("prints.cu", 'extern "C" __global__ void prints() { printf("<script>alert(1)</script>\\033[2J\\n"); }\n')
        job = self.job({"kind": "run", "file": "prints.cu", "words": ["--kernel", "prints", "--grid", "1", "--block", "1"]})
        self.assertIn("<script>alert(1)</script>", job["output"])  # in JSON; the page makes a text node of it
        self.assertNotIn("\033", job["output"])
        _, _, page = self.book.request("GET", f"/api/page/{job['id']}")
        self.assertNotIn(b"<script>alert", page)

    def test_errors_name_no_internals(self):
        for target in ("/api/file?path=../x.cu", "/api/lab/nothing", "/api/page/77"):
            _, _, body = self.book.request("GET", target)
            self.assertNotIn(str(self.book.folder.parent).encode(), body)

    # ---- hostile kernels and programs -------------------------------------------------------------------------------

    def program(self, name, body, includes=""):
        self.put(name, f"#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n{includes}\n__global__ void k() {{}}\nint main() {{\n{body}\n}}\n")
        return self.job({"kind": "run", "file": name, "words": []})

    def needs_sandbox(self):
        _, course = self.book.json("GET", "/api/course")
        if course["objection"]:
            self.skipTest(course["objection"])

    def test_a_program_sees_no_files_of_the_user(self):
        self.needs_sandbox()
        job = self.program("reads.cu", f'FILE* f = fopen("{self.outside}", "r"); printf("%s\\n", f ? "OPEN" : "closed"); f = fopen("{self.book.folder}/cudalab.json", "r"); '
                           'printf("%s\\n", f ? "OPEN" : "closed"); f = fopen("/etc/passwd", "r"); printf("%s\\n", f ? "OPEN" : "closed");')
        self.assertIn("closed\nclosed\nclosed", job["output"], job)
        self.assertNotIn("OPEN", job["output"])

    def test_a_program_writes_nothing_outside(self):
        self.needs_sandbox()
        place = self.book.folder.parent / "written"
        job = self.program("writes.cu", f'FILE* f = fopen("{place}", "w"); printf("%s\\n", f ? "OPEN" : "closed");')
        self.assertIn("closed", job["output"], job)
        self.assertFalse(place.exists())

    def test_a_program_has_no_network_and_does_not_reach_the_server(self):
        self.needs_sandbox()
        job = self.program("calls.cu", f"""int s = socket(AF_INET, SOCK_STREAM, 0); sockaddr_in a{{}}; a.sin_family = AF_INET; a.sin_port = htons({self.book.port});
a.sin_addr.s_addr = htonl(INADDR_LOOPBACK); printf("%s\\n", connect(s, (sockaddr*)&a, sizeof a) == 0 ? "CONNECTED" : "refused");""",
                           "#include <sys/socket.h>\n#include <netinet/in.h>")
        self.assertIn("refused", job["output"], job)
        self.assertNotIn("CONNECTED", job["output"])

    def test_a_program_sees_no_token(self):
        self.needs_sandbox()
        token = "of-a-test-0123456789-abcdef"
        with Workbook(environment={"CUDALAB_TOKEN": token}) as book:
            self.assertEqual(book.token, token)
            kept, self.__class__.book = self.book, book
            try:
                job = self.program("looks.cu", 'for (char** e = environ; *e; ++e) puts(*e); system("cat /proc/*/environ /proc/*/cmdline 2>/dev/null"); puts("END");')
            finally:
                self.__class__.book = kept
        self.assertIn("END", job["output"], job)
        self.assertNotIn(token, job["output"] + job["errors"])

    def test_a_result_that_is_a_link_is_not_read(self):
        self.needs_sandbox()
        job = self.program("links.cu", f'for (const char* to : {{"/etc/shadow", "{self.outside}"}}) {{ unlink("/job/cudalab-page.html"); symlink(to, "/job/cudalab-page.html"); }} '
                           'if (fork() == 0) { for (int i = 0; i < 40; ++i) { usleep(50000); unlink("/job/cudalab-page.html"); symlink("/etc/shadow", "/job/cudalab-page.html"); } }')
        if job["page"]:
            _, _, page = self.book.request("GET", f"/api/page/{job['id']}")
            self.assertNotIn(b"SECRET", page)
            self.assertNotIn(b"root:", page)

    def test_a_fork_bomb_ends(self):
        self.needs_sandbox()
        status, answer = self.book.json("POST", "/api/jobs", {"kind": "run", "file": self.put("bomb.cu", "#include <unistd.h>\n__global__ void k() {}\nint main() { for (;;) fork(); }\n") or "bomb.cu", "words": []})
        self.assertEqual(status, 200, answer)
        time.sleep(3)
        self.answers_soon()
        self.book.json("DELETE", f"/api/jobs/{answer['id']}", {})
        end = time.monotonic() + 20
        while not self.book.json("GET", f"/api/jobs/{answer['id']}")[1]["done"]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_endless_output_ends(self):
        self.needs_sandbox()
        job = self.program("chatters.cu", 'for (;;) puts("0123456789012345678901234567890123456789");')
        self.assertNotEqual(job["stopped"] + job["errors"], "")
        self.assertLess(len(job["output"]), 5 << 20)

    def test_an_include_of_a_file_of_the_user(self):
        self.needs_sandbox()
        self.put("includes.cu", f'#include "{self.outside}"\nextern "C" __global__ void k() {{}}\n')
        job = self.job({"kind": "run", "file": "includes.cu", "words": ["--kernel", "k", "--grid", "1", "--block", "1"]})
        self.assertNotIn("SECRET", job["output"] + job["errors"])

    def test_options_that_name_files(self):
        self.needs_sandbox()
        place = self.book.folder.parent / "dumped"
        self.put("dumps.cu", 'extern "C" __global__ void k(int* a) { a[0] = 1; }\n')
        for words in ([f"--dump=a={place}"], [f"--json={place}"], [f"--html={place}"]):
            self.job({"kind": "run", "file": "dumps.cu", "words": ["--kernel", "k", "--grid", "1", "--block", "1", "--arg", "buf:i32:1:zero", *words]})
            self.assertFalse(place.exists(), words)
        job = self.job({"kind": "run", "file": "dumps.cu", "words": ["--kernel", "k", "--grid", "1", "--block", "1", "--arg", f"buf:u8:6:file={self.outside}", "--print", "a"]})
        self.assertNotIn("83", job["output"])  # 'S'

    def test_no_process_and_no_folder_is_left(self):
        self.needs_sandbox()
        with Workbook() as book:
            kept, self.__class__.book = self.book, book
            try:
                self.put("stays.cu", "#include <unistd.h>\n__global__ void k() {}\nint main() { if (fork() == 0) { setsid(); sleep(1000); } sleep(1000); }\n")
                book.json("POST", "/api/jobs", {"kind": "run", "file": "stays.cu", "words": []})
                time.sleep(3)
            finally:
                self.__class__.book = kept
            pid = book.process.pid
        left = [name for name in os.listdir("/tmp") if name.startswith("cudalab-serve-") and f"-{pid}-" in name]
        self.assertEqual(left, [])
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
        self.assertNotIn("stays", listed)


class WithoutASandbox(unittest.TestCase):
    """Kernels run on the virtual GPU; programs do not run, and commands name no files."""

    def test_programs_are_refused(self):
        with Workbook(environment={"CUDALAB_BWRAP": "/none"}) as book:
            self.assertIn("/none", book.json("GET", "/api/course")[1]["objection"])
            (book.folder / "program.cu").write_text("int main() {}\n")
            for order, argument in (({"kind": "check", "exercise": "hello-thread"}, "/none"),
                                   ({"kind": "run", "file": "program.cu", "words": []}, "/none"),
                                   ({"kind": "lab", "words": ["transpose", "--kernel", "/etc/passwd"]}, "/etc/passwd"),
                                   ({"kind": "lab", "words": ["transpose", "--card", "../x.json"]}, "../x.json")):
                status, answer = book.json("POST", "/api/jobs", order)
                self.assertEqual(status, 503, order)
                self.assertIn(argument, answer["error"])
            self.assertEqual(book.json("POST", "/api/jobs", {"kind": "check", "exercise": "first-transpose"})[0], 200)


class Listening(unittest.TestCase):
    """`--listen` needs a token that the user chose, and never one on the command line."""

    def refusal(self, *options, environment=None):
        with Workbook() as book:
            own = {**os.environ, "CUDALAB_MESSAGE_IDS": "1", **(environment or {})}
            ended = subprocess.run([PROGRAM, "serve", *options, str(book.folder)], capture_output=True, text=True, env=own, timeout=20)
        self.assertEqual(ended.returncode, 2, ended)
        return ended.stderr

    def test_refuses_without_a_token(self):
        self.assertIn("serve_listen_needs_token", self.refusal("--listen", "0.0.0.0"))

    def test_refuses_short_and_odd_tokens(self):
        for token in ("short", "x" * 19, "spaces are not allowed here", "line\nline-0123456789-abc"):
            self.assertIn("serve_token_short", self.refusal(environment={"CUDALAB_TOKEN": token}))

    def test_has_no_option_for_a_token(self):
        self.assertIn("--token", self.refusal("--token", "0123456789012345678901234567890"))

    def test_takes_the_token_of_a_file(self):
        file = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"cudalab-token-{os.getpid()}"
        file.write_text("of-a-file-0123456789-abcdef\n")
        try:
            with Workbook("--listen", "127.0.0.2", "--token-file", str(file)) as book:
                self.assertEqual(book.token, "of-a-file-0123456789-abcdef")
                connection = http.client.HTTPConnection("127.0.0.2", book.port, timeout=10)
                connection.request("GET", "/", headers={"Host": "course.example", "Cookie": book.cookie})
                self.assertEqual(connection.getresponse().status, 200)
                connection.close()
        finally:
            file.unlink()


SLOW = """extern "C" __global__ void slow(volatile int* a) { for (int i = 0; i < 2000000000; ++i) a[0] = i; }
"""

if __name__ == "__main__":
    threading.excepthook = lambda _: None
    unittest.main()
