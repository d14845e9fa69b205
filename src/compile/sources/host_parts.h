// Decides which parts of a source are host code: host headers, and code without an execution or memory space.
#pragma once

#include <span>
#include <string_view>

#include "compile/sources/source_parts.h"

namespace cudalab::compile {

// `__global__`, `__device__` and the other space qualifiers.
bool is_space(std::string_view word);

// Whether a header's contents are unusable in kernels.
bool is_host_header(std::string_view name);

// Names with one meaning in all files of a compilation. They are views into the files' texts.
struct SharedNames {
  Words annotations;  // macros such as `#define HD __host__ __device__`
  Words macros;       // macros with parameters
  Words kernels;
};
void add_names(std::string_view source, SharedNames& names);

// Judges the parts of one file.
class HostJudge {
 public:
  HostJudge(const Tokens& tokens, const SharedNames& names) : tokens_(tokens), names_(names) {}

  bool is_annotated(const Part& part) const;
  bool belongs_to_host(const Part& part) const;
  bool defines_host_variable(const Part& part) const;  // struct Point { … } origin;
  bool is_constexpr_function(const Part& part) const;
  bool is_kernel(const Part& part) const;

 private:
  std::span<const SourceToken> head_of(const Part& part) const;

  const Tokens& tokens_;
  const SharedNames& names_;
};

}  // namespace cudalab::compile
