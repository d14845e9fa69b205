// The page's words in the reader's language, as the server sends them.
let texts = {};
export function learn_texts(all) { texts = all; }

// say("line", {line: 3}): "line 3".
export function say(key, slots = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => name in slots ? String(slots[name]) : whole);
}
