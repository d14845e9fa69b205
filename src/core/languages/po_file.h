// Translations as GNU gettext's PO files hold them: what translators' editors read and write. Messages are
// known by their id (msgctxt), texts of the course by the text itself.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab {

struct PoEntry {
  std::string id;                         // of a message: "msgctxt …"; empty for a text of the course
  std::string english, plural;            // plural: empty where it has none
  std::vector<std::string> translations;  // one, or one a plural form; each empty where it lacks
  std::vector<std::string> remarks;       // of the translator: "# …"
  std::vector<std::string> notes;         // for the translator: "#. …"
  std::string reference;                  // where it comes from: "#: …"
  bool is_fuzzy = false;                  // a guess, which nobody is shown
  int line = 0;                           // of the file

  bool is_translated() const;
};

struct PoFile {
  std::map<std::string, std::string> header;  // {"Language", "zh"}
  std::vector<PoEntry> entries;
  std::vector<PoEntry> stale;  // "#~": for translators to take up again
};

// Throws Error(kUsage) that names `place` and the line.
PoFile po_from(std::string_view text, std::string_view place);

std::string po_text(const PoFile& file);

}  // namespace cudalab
