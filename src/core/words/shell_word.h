// A text as one word of a command that a user may type or paste.
#pragma once

#include <string>
#include <string_view>

namespace cudalab {

// Quoted only where a shell would read it otherwise: `a b.cu` becomes `'a b.cu'`.
std::string shell_word(std::string_view text);

}  // namespace cudalab
