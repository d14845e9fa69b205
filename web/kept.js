// What the browser keeps of a course folder: edits that are not saved yet, options, and breakpoints. The address of the
// server may serve another folder later, so every name contains the folder's id.
let folder = "";
export function learn_folder(id) { folder = id; }

const key = (kind, path) => `cudalab ${kind} ${folder} ${path}`;

// The value that was kept for a path, or null.
export function kept(kind, path) {
  try { return JSON.parse(localStorage.getItem(key(kind, path))); } catch { return null; }
}

export function keep(kind, path, value) {
  if (value === null) localStorage.removeItem(key(kind, path));
  else localStorage.setItem(key(kind, path), JSON.stringify(value));
}
