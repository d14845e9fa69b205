"""Tests the archive of the VS Code extension."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def archive_in(folder):
    subprocess.run([sys.executable, ROOT / "scripts/vsix", "--output", folder], check=True, capture_output=True)
    return pathlib.Path(folder) / "cudalab.vsix"


class Vsix(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = archive_in(folder.name)
        self.archive = zipfile.ZipFile(self.path)
        self.addCleanup(self.archive.close)

    def test_has_every_asset_and_module(self):
        names = set(self.archive.namelist())
        manifest = xml.dom.minidom.parseString(self.archive.read("extension.vsixmanifest"))
        assets = {asset.getAttribute("Path") for asset in manifest.getElementsByTagName("Asset")}
        self.assertLessEqual(assets, names)
        for name in [name for name in names if name.endswith(".js")]:
            for module in re.findall(r"require\('\./(\w[\w/]*)'\)", self.archive.read(name).decode()):
                self.assertIn((pathlib.PurePosixPath(name).parent / f"{module}.js").as_posix(), names)
        self.assertFalse([name for name in names if "/test/" in name])

    def test_has_the_version_of_the_program(self):
        expected = re.search(r"project\(cudalab VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        manifest = xml.dom.minidom.parseString(self.archive.read("extension.vsixmanifest"))
        self.assertEqual(manifest.getElementsByTagName("Identity")[0].getAttribute("Version"), expected)
        self.assertEqual(json.loads(self.archive.read("extension/package.json"))["version"], expected)

    def test_every_file_has_a_content_type(self):
        types = xml.dom.minidom.parseString(self.archive.read("[Content_Types].xml"))
        endings = {each.getAttribute("Extension") for each in types.getElementsByTagName("Default")}
        files = [name for name in self.archive.namelist() if name not in ("[Content_Types].xml", "extension/LICENSE")]
        self.assertLessEqual({pathlib.PurePosixPath(name).suffix for name in files}, endings)

    def test_the_same_commit_gives_the_same_bytes(self):
        first = self.path.read_bytes()
        self.assertEqual(archive_in(self.folder).read_bytes(), first)


if __name__ == "__main__":
    unittest.main()
