// Which files a stranger's kernel would have the compiler open: the toolkit's headers by their names, and no
// others.
#pragma once

#include <string>
#include <string_view>

namespace cudalab::grading {

// Why the source must not reach the compiler: it includes by an absolute path, upwards (..), by a macro, or
// asks which files there are. A sentence with its line, or empty. Errs on the strict side: text in comments
// and strings counts as code, since what is a comment is for the compiler to decide.
std::string refused_include(std::string_view source);

}  // namespace cudalab::grading
