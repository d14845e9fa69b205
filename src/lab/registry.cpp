// The labs that are linked into the program.
#include <algorithm>
#include <tuple>

#include "lab/lab.h"

namespace cudalab::lab {
namespace {

std::vector<Lab>& registered() {
  static std::vector<Lab> labs;
  return labs;
}

bool comes_before(const Lab& a, const Lab& b) {
  return std::tie(a.order, a.name) < std::tie(b.order, b.name);
}

}  // namespace

RegisterLab::RegisterLab(Lab lab) {
  std::vector<Lab>& all = registered();
  all.insert(std::upper_bound(all.begin(), all.end(), lab, comes_before), std::move(lab));
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

}  // namespace cudalab::lab
