// Keys, and reading and writing of entries.
#include "compile/shipped_kernels.h"

#include <fmt/format.h>

#include <fstream>

#include "compile/cache_key.h"
#include "compile/compile_cache.h"
#include "compile/toolkit.h"
#include "core/files.h"
#include "core/processes/this_program.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

std::optional<fs::path> shipped_directory() {
  if (const auto named = environment("CUDALAB_PTX")) return fs::path(*named);
  const fs::path program = this_program();
  const fs::path installed = program.parent_path().parent_path() / "share" / "cudalab" / "ptx";
  return !program.empty() && is_folder(installed) ? std::optional(installed) : std::nullopt;
}

// Whatever compiler made it, and wherever that and the toolkit's headers were.
std::optional<std::string> shipped_key(const CompileRequest& request) {
  std::vector<std::string> decisive{fmt::format("compute_{}{}", request.compute_major, request.compute_minor),
                                    request.wants_resources ? "with resources" : ""};
  for (const auto& [name, value] : request.defines) decisive.push_back(fmt::format("-D{}={}", name, value));
  for (const std::string& directory : request.include_directories) decisive.push_back("-I" + directory);
  decisive.insert(decisive.end(), request.options.begin(), request.options.end());
  return cache_key(request, "shipped/1", {}, decisive);
}

}  // namespace

std::optional<CompiledSource> find_shipped(const CompileRequest& request) {
  const auto directory = shipped_directory();
  const auto key = directory ? shipped_key(request) : std::nullopt;
  const auto entry = key ? read_file(*directory / *key) : std::nullopt;
  return entry ? compiled_from_entry(*key, *entry) : std::nullopt;
}

void keep_for_shipping(const CompileRequest& request, const CompiledSource& compiled) {
  const auto folder = environment("CUDALAB_KEEP_PTX");
  const auto key = folder ? shipped_key(request) : std::nullopt;
  if (!key) return;
  std::error_code ignored;
  fs::create_directories(*folder, ignored);
  const fs::path file = fs::path(*folder) / *key;
  std::ofstream out(file, std::ios::binary);
  if (!(out << entry_of(*key, compiled)).flush()) throw usage_error("cannot write {}", file.string());
}

bool has_shipped_kernels() { return shipped_directory().has_value(); }

}  // namespace cudalab::compile
