// Everything that the PTX of a source depends on, as one number: what the compiled is kept under.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::compile {

// `tools` are files whose replacement by another version changes the PTX: the compiler, the toolkit's
// headers. Nothing where it cannot be known what the source includes (compile/sources/source_includes.h).
std::optional<std::string> cache_key(const CompileRequest& request, const std::string& compiler,
                                     std::span<const std::filesystem::path> tools,
                                     const std::vector<std::string>& options);

}  // namespace cudalab::compile
