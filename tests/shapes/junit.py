"""Prints what the schema of Ant's JUnit report does not allow in a JUnit XML file; prints nothing for a valid file."""
import re
import sys
import xml.etree.ElementTree

TOKEN = r"\S(.*\S)?"
INTEGER = r"[0-9]+"
DECIMAL = r"[0-9]+(\.[0-9]+)?"
DATE_AND_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
ANY = r"(?s).*"

# element -> (required attributes, optional attributes, children in order, each with its number of occurrences)
SHAPES = {
    "testsuites": ({}, {}, r"(testsuite )*"),
    "testsuite": (
        {"package": TOKEN, "id": INTEGER, "name": TOKEN, "timestamp": DATE_AND_TIME, "hostname": TOKEN, "tests": INTEGER,
         "failures": INTEGER, "errors": INTEGER, "time": DECIMAL},
        {"skipped": INTEGER}, r"properties (testcase )*system-out system-err "),
    "properties": ({}, {}, r"(property )*"),
    "property": ({"name": TOKEN, "value": ANY}, {}, r""),
    "testcase": ({"name": TOKEN, "classname": TOKEN, "time": DECIMAL}, {}, r"((skipped|error|failure) )?"),
    "failure": ({"type": ANY}, {"message": ANY}, r""),
    "error": ({"type": ANY}, {"message": ANY}, r""),
    "skipped": ({}, {}, r""),
    "system-out": ({}, {}, r""),
    "system-err": ({}, {}, r""),
}


def check(element):
    if element.tag not in SHAPES:
        return print(element.tag, "is no element of the schema")
    required, optional, children = SHAPES[element.tag]
    for name, pattern in {**optional, **required}.items():
        if name in required and name not in element.attrib:
            print(element.tag, "lacks", name)
        if not re.fullmatch(pattern, element.attrib.get(name, "")) and name in element.attrib:
            print(element.tag, name, "is", element.attrib[name])
    for name in element.attrib:
        if name not in required and name not in optional:
            print(element.tag, "has", name)
    if not re.fullmatch(children, "".join(child.tag + " " for child in element)):
        print(element.tag, "holds", [child.tag for child in element])
    for child in element:
        check(child)


def check_counts(suite):
    cases = suite.findall("testcase")
    failed = [case for case in cases if case.find("failure") is not None]
    if int(suite.attrib["tests"]) != len(cases) or int(suite.attrib["failures"]) != len(failed):
        print(suite.attrib["name"], "counts wrongly")


root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
check(root)
for number, suite in enumerate(root.findall("testsuite")):
    check_counts(suite)
    if suite.attrib["id"] != str(number):
        print("suite", number, "has the id", suite.attrib["id"])
