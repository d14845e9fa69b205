"""The form of messages of the Debug Adapter Protocol that an adapter sends, from its specification
(https://microsoft.github.io/debug-adapter-protocol/specification): fields, their types, and which are required."""

# A type is a Python type, a set of allowed texts, [TYPE] for a list, or a name in TYPES. A field with ? is optional.
SOURCE = {"name?": str, "path?": str, "sourceReference?": int, "presentationHint?": {"normal", "emphasize", "deemphasize"},
          "origin?": str}
TYPES = {
    "Source": SOURCE,
    "Thread": {"id": int, "name": str},
    "StackFrame": {"id": int, "name": str, "source?": "Source", "line": int, "column": int, "endLine?": int,
                   "endColumn?": int, "canRestart?": bool, "instructionPointerReference?": str,
                   "presentationHint?": {"normal", "label", "subtle"}},
    "Scope": {"name": str, "presentationHint?": str, "variablesReference": int, "namedVariables?": int,
              "indexedVariables?": int, "expensive": bool, "source?": "Source", "line?": int},
    "Variable": {"name": str, "value": str, "type?": str, "evaluateName?": str, "variablesReference": int,
                 "namedVariables?": int, "indexedVariables?": int, "memoryReference?": str},
    "Breakpoint": {"id?": int, "verified": bool, "message?": str, "source?": "Source", "line?": int, "column?": int},
    "Location": {"line": int, "column?": int, "endLine?": int, "endColumn?": int},
    "Filter": {"filter": str, "label": str, "description?": str, "default?": bool, "supportsCondition?": bool},
    "Instruction": {"address": str, "instructionBytes?": str, "instruction": str, "symbol?": str, "location?": "Source",
                    "line?": int, "column?": int, "presentationHint?": {"normal", "invalid"}},
    "Details": {"message?": str, "typeName?": str, "stackTrace?": str},
    "Error": {"id": int, "format": str, "variables?": dict, "showUser?": bool},
}
CAPABILITIES = """supportsConfigurationDoneRequest supportsFunctionBreakpoints supportsConditionalBreakpoints
supportsHitConditionalBreakpoints supportsEvaluateForHovers supportsStepBack supportsSetVariable supportsRestartFrame
supportsGotoTargetsRequest supportsStepInTargetsRequest supportsCompletionsRequest supportsModulesRequest
supportsRestartRequest supportsExceptionOptions supportsValueFormattingOptions supportsExceptionInfoRequest
supportTerminateDebuggee supportSuspendDebuggee supportsDelayedStackTraceLoading supportsLoadedSourcesRequest
supportsLogPoints supportsTerminateThreadsRequest supportsSetExpression supportsTerminateRequest supportsDataBreakpoints
supportsReadMemoryRequest supportsWriteMemoryRequest supportsDisassembleRequest supportsCancelRequest
supportsBreakpointLocationsRequest supportsClipboardContext supportsSteppingGranularity supportsInstructionBreakpoints
supportsExceptionFilterOptions supportsSingleThreadExecutionRequests""".split()
ACCESS = {"read", "write", "readWrite"}
VALUE = {"type?": str, "variablesReference?": int, "namedVariables?": int, "indexedVariables?": int, "memoryReference?": str}
RESPONSES = {
    "initialize": {**{name + "?": bool for name in CAPABILITIES}, "exceptionBreakpointFilters?": ["Filter"]},
    "setBreakpoints": {"breakpoints": ["Breakpoint"]},
    "setFunctionBreakpoints": {"breakpoints": ["Breakpoint"]},
    "setDataBreakpoints": {"breakpoints": ["Breakpoint"]},
    "setExceptionBreakpoints": {"breakpoints?": ["Breakpoint"]},
    "dataBreakpointInfo": {"dataId": (str, type(None)), "description": str, "accessTypes?": [ACCESS], "canPersist?": bool},
    "breakpointLocations": {"breakpoints": ["Location"]},
    "threads": {"threads": ["Thread"]},
    "stackTrace": {"stackFrames": ["StackFrame"], "totalFrames?": int},
    "scopes": {"scopes": ["Scope"]},
    "variables": {"variables": ["Variable"]},
    # cudalab's answer to setVariable has the fields of a variable, too.
    "setVariable": {"value": str, **VALUE, "name?": str, "evaluateName?": str},
    "evaluate": {"result": str, **VALUE, "variablesReference": int, "name?": str, "value?": str, "evaluateName?": str},
    "continue": {"allThreadsContinued?": bool},
    "readMemory": {"address": str, "unreadableBytes?": int, "data?": str},
    "disassemble": {"instructions": ["Instruction"]},
    "source": {"content": str, "mimeType?": str},
    "exceptionInfo": {"exceptionId": str, "description?": str, "breakMode": {"never", "always", "unhandled", "userUnhandled"},
                      "details?": "Details"},
}
EVENTS = {
    "initialized": {},
    "stopped": {"reason": str, "description?": str, "threadId?": int, "preserveFocusHint?": bool, "text?": str,
                "allThreadsStopped?": bool, "hitBreakpointIds?": [int]},
    "continued": {"threadId": int, "allThreadsContinued?": bool},
    "exited": {"exitCode": int},
    "terminated": {"restart?": object},
    "output": {"category?": str, "output": str, "variablesReference?": int, "source?": "Source", "line?": int},
    "breakpoint": {"reason": {"changed", "new", "removed"}, "breakpoint": "Breakpoint"},
    "invalidated": {"areas?": [{"all", "stacks", "threads", "variables"}], "threadId?": int, "stackFrameId?": int},
}


def complaint(value, kind, path):
    """Why the value does not have this type; empty if it has."""
    if isinstance(kind, str):
        return complaint(value, TYPES[kind], path)
    if isinstance(kind, list):
        if not isinstance(value, list):
            return f"{path}: no list"
        return next(filter(None, (complaint(each, kind[0], f"{path}[{i}]") for i, each in enumerate(value))), "")
    if isinstance(kind, set):
        return "" if value in kind else f"{path}: {value!r} is none of {sorted(kind)}"
    if isinstance(kind, dict):
        return complaint_about_fields(value, kind, path)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    is_bool = isinstance(value, bool) and bool not in kinds and object not in kinds
    return f"{path}: {value!r} is no {kind}" if is_bool or not isinstance(value, kinds) else ""


def complaint_about_fields(value, fields, path):
    if not isinstance(value, dict):
        return f"{path}: no object"
    known = {name.rstrip("?"): (kind, name.endswith("?")) for name, kind in fields.items()}
    for name, (_, is_optional) in known.items():
        if not is_optional and name not in value:
            return f"{path}: {name} is missing"
    for name, each in value.items():
        if name not in known:
            return f"{path}: {name} is not in the specification"
        if wrong := complaint(each, known[name][0], f"{path}.{name}"):
            return wrong
    return ""


ENVELOPES = {
    "response": {"seq": int, "type": str, "request_seq": int, "success": bool, "command": str, "message?": str,
                 "body?": object},
    "event": {"seq": int, "type": str, "event": str, "body?": object},
}


def check(message):
    """Fails for a message that the specification does not allow."""
    wrong = complaint(message, ENVELOPES[message["type"]], message["type"])
    if message["type"] == "event":
        wrong = wrong or complaint(message.get("body", {}), EVENTS[message["event"]], message["event"])
    elif message["success"]:
        if message["command"] in RESPONSES:
            wrong = wrong or complaint(message.get("body"), RESPONSES[message["command"]], message["command"])
    else:
        wrong = wrong or ("" if message.get("message") else "an error without a message")
        wrong = wrong or complaint(message["body"]["error"], "Error", message["command"])
    assert not wrong, (wrong, message)
