#include "ptx/modifier_order.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ptx/module.h"

namespace cudalab::ptx {
namespace {

// Whose modifiers ptxas takes in any order (tried with CUDA 13.0's), and whose manual has the types last.
const std::unordered_set<std::string_view>& free_opcodes() {
  static const std::unordered_set<std::string_view> opcodes{
      "ldmatrix", "stmatrix", "movmatrix", "mma", "shfl", "match", "redux", "ld",    "st",  "add",
      "sub",      "mul",      "fma",       "mad", "div",  "rcp",   "sqrt",  "rsqrt", "ex2", "lg2",
      "sin",      "cos",      "tanh",      "min", "max",  "abs",   "neg",   "cvt",   "set", "setp"};
  return opcodes;
}

enum Rank {
  kMode,
  kSync,
  kAligned,
  kShape,
  kCount,
  kScope,
  kKind,
  kCache,
  kRounding,
  kFlush,
  kLimit,
  kVector,
  kType
};

const std::unordered_map<std::string_view, Rank>& ranks() {
  static const std::unordered_map<std::string_view, Rank> words{
      // what an instruction does, where it comes first
      {"any", kMode},
      {"all", kMode},
      {"lo", kMode},
      {"hi", kMode},
      {"wide", kMode},
      {"sync", kSync},
      {"aligned", kAligned},
      {"x1", kCount},
      {"x2", kCount},
      {"x4", kCount},
      // memory order and scope
      {"weak", kCount},
      {"volatile", kCount},
      {"relaxed", kCount},
      {"acquire", kCount},
      {"release", kCount},
      {"cta", kScope},
      {"cluster", kScope},
      {"gpu", kScope},
      {"sys", kScope},
      // spaces, layouts, operations of lanes, comparisons
      {"global", kKind},
      {"shared", kKind},
      {"shared::cta", kKind},
      {"shared::cluster", kKind},
      {"local", kKind},
      {"const", kKind},
      {"param", kKind},
      {"row", kKind},
      {"col", kKind},
      {"up", kKind},
      {"down", kKind},
      {"bfly", kKind},
      {"idx", kKind},
      {"eq", kKind},
      {"ne", kKind},
      {"lt", kKind},
      {"le", kKind},
      {"gt", kKind},
      {"ge", kKind},
      {"add", kKind},
      {"min", kKind},
      {"max", kKind},
      {"trans", kScope},
      {"ca", kCache},
      {"cg", kCache},
      {"cs", kCache},
      {"lu", kCache},
      {"cv", kCache},
      {"wb", kCache},
      {"wt", kCache},
      {"nc", kCache},
      {"rn", kRounding},
      {"rz", kRounding},
      {"rm", kRounding},
      {"rp", kRounding},
      {"rna", kRounding},
      {"rni", kRounding},
      {"rzi", kRounding},
      {"rmi", kRounding},
      {"rpi", kRounding},
      {"approx", kRounding},
      {"full", kRounding},
      {"ftz", kFlush},
      {"sat", kLimit},
      {"satfinite", kLimit},
      {"v2", kVector},
      {"v4", kVector},
      {"v8", kVector}};
  return words;
}

// m16n8k16
bool is_shape(std::string_view part) {
  return part.size() >= 4 && part[0] == 'm' && std::isdigit(static_cast<unsigned char>(part[1])) != 0 &&
         part.find('n') != std::string_view::npos;
}

std::optional<Rank> rank_of(std::string_view part) {
  if (const auto found = ranks().find(part); found != ranks().end()) return found->second;
  if (type_named(part)) return kType;
  if (is_shape(part)) return kShape;
  if (part.starts_with("L1::") || part.starts_with("L2::")) return kCache;
  return std::nullopt;
}

}  // namespace

bool put_modifiers_in_order(std::vector<std::string>& parts) {
  if (parts.size() < 3 || !free_opcodes().contains(parts[0])) return false;
  const auto rank = [](const std::string& part) { return *rank_of(part); };
  // Of a word that is not known, the place is not known either.
  if (!std::all_of(parts.begin() + 1, parts.end(), [](const std::string& part) { return rank_of(part); }))
    return false;
  if (std::ranges::is_sorted(parts.begin() + 1, parts.end(), {}, rank)) return false;
  std::ranges::stable_sort(parts.begin() + 1, parts.end(), {}, rank);
  return true;
}

}  // namespace cudalab::ptx
