// Collects the edits of all generators and orders them.
#include "course/repair/edits.h"

#include <algorithm>
#include <array>

#include "course/repair/generators.h"

namespace cudalab::course {
namespace {

// The most frequent mistakes first; kinds with many edits and few successes last.
int rank_of(const Edit& edit) {
  constexpr std::array kOrder{EditKind::kComparison, EditKind::kUpdate,   EditKind::kBarrier,
                              EditKind::kIndex,      EditKind::kConstant, EditKind::kOperator,
                              EditKind::kFunction,   EditKind::kVariable, EditKind::kType,
                              EditKind::kGuard,      EditKind::kStatement};
  const bool appends_term = edit.begin == edit.end && edit.kind == EditKind::kOperator;
  return appends_term ? static_cast<int>(kOrder.size())
                      : static_cast<int>(std::ranges::find(kOrder, edit.kind) - kOrder.begin());
}

// Adds what the generators find, with ranks that begin at `first_rank`.
template <typename Generate>
void append(std::vector<Edit>& all, const KernelSource& source, int first_rank, const Generate& generate) {
  EditList list(source);
  generate(list);
  for (Edit& edit : list.edits()) {
    edit.rank = first_rank + rank_of(edit);
    all.push_back(std::move(edit));
  }
}

}  // namespace

std::vector<Edit> edits_of(std::string_view text) {
  constexpr int kTerms = 4, kRarer = 100;
  const KernelSource source(text);
  const auto at_tokens = [&source](std::span<const TokenGenerator> generators) {
    return [&source, generators](EditList& list) {
      for (std::size_t i = 0; i < source.size(); ++i)
        if (source.is_in_body(i))
          for (const TokenGenerator generate : generators) generate(source, i, list);
    };
  };
  std::vector<Edit> all;
  append(all, source, 0, at_tokens(usual_edits()));
  append(all, source, 0, at_tokens(neutral_edits()));
  append(all, source, kTerms, at_tokens(term_edits()));
  append(all, source, kRarer, at_tokens(rarer_edits()));
  append(all, source, 0, [&source](EditList& list) { edits_of_statements(source, list); });
  std::ranges::stable_sort(all, {}, &Edit::rank);
  return all;
}

std::string edited(std::string_view source, const Edit& edit) {
  std::string text(source.substr(0, edit.begin));
  text += edit.text;
  const std::size_t second = std::max(edit.second_begin, edit.end);
  text += source.substr(edit.end, second - edit.end);
  text += edit.second_text;
  text += source.substr(std::max(second, edit.second_end));
  return text;
}

}  // namespace cudalab::course
