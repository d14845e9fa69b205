// One source of the folder in the editor: saves edits, keeps a draft in the browser until they are saved, and shows
// what another editor has written.
import {get, put} from "./api.js";
import {button, h} from "./dom.js";
import {keep, kept} from "./kept.js";
import {say} from "./texts.js";

const SAVE_AFTER_MS = 400;

export class Source {
  constructor(path, editor) {
    this.path = path;
    this.editor = editor;
    this.digest = "";  // of the file's text that the edits are based on
    this.is_dirty = false;  // whether this tab has edits that are not saved
    this.timer = null;
    this.saving = null;
    this.notice = h("div", {class: "notice", role: "status"});
  }

  async open() {
    const {text, digest} = await get("file", {path: this.path});
    const draft = kept("draft", this.path);
    this.digest = digest;
    this.editor.text = text;
    if (!draft) return;
    if (draft.text === text) return keep("draft", this.path, null);
    // If the file is no longer the one that the draft is based on, saving it asks which text to keep.
    this.digest = draft.digest;
    this.editor.text = draft.text;
    this.is_dirty = true;
    await this.save().catch(() => {});
  }

  edited() {
    this.is_dirty = true;
    keep("draft", this.path, {text: this.editor.text, digest: this.digest});
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save().catch(() => {}), SAVE_AFTER_MS);
  }

  // Saves what is not saved. Throws if another editor has changed the file, or the server cannot be reached.
  async save() {
    clearTimeout(this.timer);
    if (this.saving) await this.saving.catch(() => {});
    if (!this.is_dirty) return;
    this.saving = this.save_now();
    try { await this.saving; } finally { this.saving = null; }
  }

  async save_now() {
    const text = this.editor.text;
    try {
      const {digest} = await put("file", {path: this.path, text, digest: this.digest});
      this.digest = digest;
      this.notice.replaceChildren();
      if (this.editor.text === text) this.has_saved();
    } catch (error) {
      if (error.status === 409) this.ask_which(error.body);
      else this.notice.replaceChildren(h("p", {}, say("not_saved"), " ", error.status ? error.message : ""));
      throw error;
    }
  }

  has_saved() {
    this.is_dirty = false;
    keep("draft", this.path, null);
  }

  ask_which(theirs) {
    const take = () => {
      this.has_saved();
      this.digest = theirs.digest;
      this.editor.text = theirs.text;
      this.notice.replaceChildren();
    };
    const keep_mine = () => {
      this.digest = theirs.digest;
      this.save().catch(() => {});
    };
    this.notice.replaceChildren(h("p", {}, theirs.error), button(say("take_theirs"), take), " ", button(say("keep_mine"), keep_mine));
  }

  // The folder has changed: shows the file's new text, unless there are edits that are not saved.
  async refresh() {
    if (this.is_dirty || this.saving) return;
    const {text, digest} = await get("file", {path: this.path});
    if (digest === this.digest || this.is_dirty) return;
    this.digest = digest;
    this.editor.text = text;
  }
}
