// The generators of edits: functions that add the edits of one kind at one place of a source.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "course/repair/edits.h"
#include "course/repair/kernel_source.h"

namespace cudalab::course {

// Collects edits in terms of tokens.
class EditList {
 public:
  explicit EditList(const KernelSource& source) : source_(source) {}

  void add(Edit edit) { edits_.push_back(std::move(edit)); }
  void replace(std::size_t token, std::string text, EditKind kind) {
    replace(token, token, std::move(text), kind);
  }
  void replace(std::size_t first, std::size_t last, std::string text, EditKind kind) {
    const compile::SourceToken& begin = source_.token(first);
    add({begin.begin, source_.token(last).end(), std::move(text), begin.line, kind});
  }
  void insert_behind(std::size_t token, std::string text, EditKind kind) {
    const compile::SourceToken& before = source_.token(token);
    add({before.end(), before.end(), std::move(text), before.line, kind});
  }
  void insert_before(std::size_t token, std::string text, EditKind kind) {
    const compile::SourceToken& behind = source_.token(token);
    add({behind.begin, behind.begin, std::move(text), behind.line, kind});
  }

  std::vector<Edit>& edits() { return edits_; }

 private:
  const KernelSource& source_;
  std::vector<Edit> edits_;
};

// Adds edits at one token of a function body.
using TokenGenerator = void (*)(const KernelSource&, std::size_t token, EditList&);

std::span<const TokenGenerator> usual_edits();
std::span<const TokenGenerator> rarer_edits();
std::span<const TokenGenerator> neutral_edits();
std::span<const TokenGenerator> term_edits();
// Updates that must be atomic, guards, superfluous statements and barriers.
void edits_of_statements(const KernelSource& source, EditList& edits);

}  // namespace cudalab::course
