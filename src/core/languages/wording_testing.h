// Test translations from inline PO entries.
#pragma once

#include <memory>
#include <string>

#include "core/languages/catalog.h"
#include "core/languages/po_file.h"
#include "core/languages/wording.h"

namespace cudalab {

// Chinese wording from the entries of a PO file without its header.
inline Wording chinese_by(const std::string& entries) {
  auto catalog = std::make_shared<Catalog>();
  catalog->add(po_from("msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"\n" + entries, "zh.po"),
               "zh.po");
  return {Language::kChinese, catalog};
}

}  // namespace cudalab
