// Stands in for the bundle of scripts/editor, which a build without npm does not have: the editor is a plain text area.
export const codemirror = null;
