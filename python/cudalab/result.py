"""Reads the documents that the cudalab program writes, and shows them as text, HTML and tables."""
import html

from .page import inline

PASSED = {"pass": True, "fail": False}  # any other verdict is None: not assessed


class Result:
    """The findings of a run of a kernel, a whole program, a lab or a check.

    passed     True, False, or None where nothing was assessed
    rows       a dictionary per kernel, stage or criterion, in the order of the table
    counters   the counters of each row by its name, under the names of Nsight Compute
    hazards    the faults found: `kind`, `what`, `where` (file and line) and `fix`
    output     what a whole program printed
    report     the table and the explanations, as a terminal shows them
    page       the HTML page with all pictures, or None
    document   the whole JSON document (docs/result.schema.json, program.schema.json, check.schema.json), or None
    exit_code  of the cudalab program
    """

    def __init__(self, document, report, output="", page=None, exit_code=0):
        self.document, self.report, self.output, self.page, self.exit_code = document, report, output, page, exit_code
        self.shows_output = True  # false where the output was shown while the program ran
        reader = READERS.get((document or {}).get("schema"))
        self.rows, self.hazards, self.passed = reader(document) if reader else ([], [], None)

    @property
    def counters(self):
        return {row["name"]: row["counters"] for row in self.rows if row.get("counters")}

    def to_pandas(self):
        """A DataFrame with one row per row of `rows`, and a column per counter."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas, or use `rows`") from error
        return pandas.DataFrame([{**{key: value for key, value in row.items() if key != "counters"},
                                  **(row.get("counters") or {})} for row in self.rows])

    def __repr__(self):
        return f"<cudalab.Result passed={self.passed} rows={[row['name'] for row in self.rows]}>"

    def __str__(self):
        return ((self.output if self.shows_output else "") + self.report).rstrip("\n")

    def _repr_pretty_(self, printer, cycle):
        printer.text(str(self))

    def _repr_html_(self):
        output = f"<pre>{html.escape(self.output)}</pre>" if self.shows_output and self.output else ""
        return output + (inline(self.page) if self.page else f"<pre>{html.escape(self.report)}</pre>")


def row_of_run(run):
    return {"name": run["name"], "passed": PASSED.get(run["verdict"]), "reason": run.get("reason"),
            "grid": run.get("grid"), "block": run.get("block"), "launches": 1, **measured(run),
            "time_ms": (run.get("time_ms") or {}).get("median")}


def row_of_launch(launch):
    hazards = launch.get("hazards")
    return {"name": launch["kernel"], "passed": None if hazards is None else not hazards,
            "reason": hazards[0]["what"] if hazards else None, "grid": launch["grid"], "block": launch["block"],
            "launches": launch["launches"], **measured(launch), "time_ms": None}


def measured(run):
    limits = run.get("limits") or []
    return {"predicted_ms": run.get("predicted_ms"), "limited_by": limits[0]["resource"] if limits else None,
            "counters": run.get("counters")}


def read_result(document):
    runs = document["runs"]
    hazards = [hazard for run in runs for hazard in run.get("hazards") or []]
    return [row_of_run(run) for run in runs], hazards, PASSED.get(document["verdict"])


def read_program(document):
    processes = [document, *document.get("other_processes", [])]
    launches = [launch for process in processes for launch in process["launches"]]
    hazards = [hazard for source in (*launches, *processes) for hazard in source.get("hazards") or []]
    return [row_of_launch(launch) for launch in launches], hazards, PASSED.get(document["verdict"])


def read_check(document):
    parts = [part for check in document["checks"] for part in check["parts"]]
    rows = [{"name": part["name"], "passed": {"met": True, "missed": False}.get(part["outcome"]),
             "reason": part["sentence"] or None, "advice": part["advice"] or None, "where": part["where"]}
            for part in parts]
    return rows, [], all(check["passed"] for check in document["checks"])


READERS = {"cudalab.result/1": read_result, "cudalab.program/1": read_program, "cudalab.check/1": read_check}
