// Findings of a check or a run, by line of the source: [{line, text, is_error}].
export function marks_of_check(check, file) {
  const marks = [];
  const add = (where, text, is_error) => {
    if (where && where.line > 0 && is_own(where.file, file)) marks.push({line: where.line, text, is_error});
  };
  for (const part of check.parts ?? []) {
    if (part.outcome !== "missed") continue;
    add(part.where, part.sentence, true);
    if (part.other) add(part.other, part.sentence, false);
    for (const each of [...(part.reasons ?? []), ...(part.more_errors ?? [])]) add(each.where, each.sentence, true);
  }
  if (check.repair) add({file, line: check.repair.line}, check.repair.text, true);
  return marks;
}

function is_own(named, file) {
  return named === file || named === file.split("/").pop() || file.endsWith("/" + named);
}

// The first mark of each line, with all its texts.
export function marks_by_line(marks) {
  const lines = new Map();
  for (const mark of marks) {
    const known = lines.get(mark.line);
    if (!known) lines.set(mark.line, {is_error: mark.is_error, texts: [mark.text]});
    else {
      known.is_error ||= mark.is_error;
      if (!known.texts.includes(mark.text)) known.texts.push(mark.text);
    }
  }
  return lines;
}
