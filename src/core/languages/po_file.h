// Translations in GNU gettext's PO format, which translation editors read and write. Messages are identified
// by their id (msgctxt), texts of the course by the text itself.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab {

struct PoEntry {
  std::string id;                         // of a message, from "msgctxt"; empty for a text of the course
  std::string english, plural;            // plural: empty if there is none
  std::vector<std::string> translations;  // one per plural form; an empty one is missing
  std::vector<std::string> remarks;       // by the translator: "# …"
  std::vector<std::string> notes;         // for the translator: "#. …"
  std::string reference;                  // source of the text: "#: …"
  bool is_fuzzy = false;                  // an unconfirmed translation, which is never shown
  int line = 0;                           // line number in the file

  bool is_translated() const;
};

struct PoFile {
  std::map<std::string, std::string> header;  // {"Language", "zh"}
  std::vector<PoEntry> entries;
  std::vector<PoEntry> stale;  // obsolete entries, "#~", kept for translators
};

// Throws Error(kUsage) that names `place` and the line.
PoFile po_from(std::string_view text, std::string_view place);

std::string po_text(const PoFile& file);

}  // namespace cudalab
