// Splits a command line into words, as a shell does: blanks separate, quotes and backslashes keep.
export function words_in(line) {
  const words = [];
  let word = null, quote = "";
  for (let i = 0; i < line.length; ++i) {
    const c = line[i];
    if (c === quote) quote = "";
    else if (c === "\\" && quote !== "'" && i + 1 < line.length) word = (word ?? "") + line[++i];
    else if (quote) word += c;
    else if (c === "'" || c === '"') { quote = c; word ??= ""; }
    else if (/\s/.test(c)) { if (word !== null) words.push(word); word = null; }
    else word = (word ?? "") + c;
  }
  if (word !== null) words.push(word);
  return words;
}

// The line that words_in() splits into these words.
export function line_of(words) {
  return words.map(word => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

// The words behind "cudalab", if the line is a command of cudalab; otherwise null.
export function command_words(line) {
  const words = words_in(line);
  return words[0] === "cudalab" && words.length > 1 ? words.slice(1) : null;
}
