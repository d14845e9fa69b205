// Documents for the page with their sentences in the reader's language: a check, `cudalab.check/1`, and the
// trace of a warp, `cudalab.trace/1`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/languages/wording.h"

namespace cudalab::serve {

// The only check of a document, with a `title` for each part. Sentences with a message are translated. Null
// if the text is not such a document.
nlohmann::ordered_json check_in_language(const nlohmann::ordered_json& document, const Wording& wording);

// Null if the text is not such a document.
nlohmann::ordered_json trace_in_language(const nlohmann::ordered_json& document, const Wording& wording);

}  // namespace cudalab::serve
