// The files of the user's that a source includes, directly or not, each treated as host_code.h treats a
// source.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/sources/host_code.h"

namespace cudalab::compile {

// Where headers are looked for, in this order: beside the including file where they are in quotes, then the
// user's folders, then the toolkit's.
struct HeaderDirectories {
  std::vector<std::filesystem::path> users, toolkit;
};

// The source of `file_name` and, in DeviceCode::headers, what of the user's it includes. An #include of such
// a file names it by its absolute path. Beyond 2,000 files the others are included as they are.
DeviceCode device_code_with_headers(const std::string& source, const std::string& file_name,
                                    const HeaderDirectories& directories);

}  // namespace cudalab::compile
