// The words of a picture in the reader's language. Builders write English; their sentences are formats of
// languages/sentences.json, by which each is known again.
#pragma once

#include "core/languages/wording.h"
#include "report/pictures/picture.h"

namespace cudalab::report {

// What is the user's own, as names of stages and lines of a source, stays.
Picture in_words(Picture picture, const Wording& wording);

}  // namespace cudalab::report
