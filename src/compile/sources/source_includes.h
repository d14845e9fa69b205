// Which files beside a kernel's source decide what it compiles to, read off its #include directives.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudalab::compile {

// Every existing file that the source may include, directly or not, from its own directory or `directories`;
// path -> content. Conditions are not evaluated, so there may be more of them than are really included.
// Headers found elsewhere (the toolkit's) are not followed. Nothing where directives alone do not tell:
// `#include MACRO`,
// __has_include, or __DATE__ and __TIME__, whose value is not in the text.
std::optional<std::map<std::filesystem::path, std::string>> user_includes(
    const std::string& source, const std::filesystem::path& source_directory,
    const std::vector<std::string>& directories);

}  // namespace cudalab::compile
