// A check's document, `cudalab.check/1`, with its sentences in the reader's language.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/languages/wording.h"

namespace cudalab::serve {

// The document's only check. Sentences become those of the language where they come with a message, and each
// part gets a `title`. Null if the document is none.
nlohmann::ordered_json check_in_language(const nlohmann::ordered_json& document, const Wording& wording);

}  // namespace cudalab::serve
