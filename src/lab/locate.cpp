// Finds labs: the folder with their kernels and handouts, and the labs linked into the program.
#include "lab/locate.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/this_process.h"
#include "lab/lab.h"
#include "messages/lab.h"

namespace cudalab::lab {

namespace {

std::vector<Lab>& registered() {
  static std::vector<Lab> labs;
  return labs;
}

}  // namespace

RegisterLab::RegisterLab(Lab lab) {
  std::vector<Lab>& all = registered();
  all.insert(std::ranges::upper_bound(all, lab.name, {}, &Lab::name), std::move(lab));
}

void arrange_labs(std::span<const std::string> names) {
  const auto place = [names](const Lab& lab) {
    return std::pair(std::ranges::find(names, lab.name) - names.begin(), std::string_view(lab.name));
  };
  std::ranges::sort(registered(), {}, place);
}

std::span<const Lab> labs() { return registered(); }

bool is_program(const Lab& lab, std::string_view stage) {
  return std::find(lab.programs.begin(), lab.programs.end(), stage) != lab.programs.end();
}

const Lab* find_lab(std::string_view name_or_alias) {
  if (name_or_alias.empty()) return nullptr;
  for (const Lab& lab : registered())
    if (lab.name == name_or_alias || lab.alias == name_or_alias) return &lab;
  return nullptr;
}

namespace fs = std::filesystem;

fs::path find_labs(const fs::path& from_environment, const fs::path& program, const fs::path& built_from) {
  if (!from_environment.empty()) {
    if (is_folder(from_environment)) return from_environment;
    throw usage_error(msg::error_labs_not_a_folder(from_environment.string()));
  }
  const fs::path installed = program.parent_path().parent_path() / "share" / "cudalab" / "labs";
  if (!program.empty() && is_folder(installed)) return installed;
  if (!built_from.empty() && is_folder(built_from / "labs")) return built_from / "labs";
  throw unavailable_error(msg::error_labs_not_found(installed.string(), (built_from / "labs").string()));
}

fs::path labs_directory() {
  const char* from_environment = std::getenv("CUDALAB_LABS");
  return find_labs(from_environment ? from_environment : "", this_program(), CUDALAB_BUILT_FROM);
}

fs::path source_path(const std::string& source, const std::string& users_file) {
  return source == users_file ? fs::path(source) : labs_directory().parent_path() / source;
}

}  // namespace cudalab::lab
