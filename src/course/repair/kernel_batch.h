// Compiles many variants of one kernel file in one compilation, and extracts the PTX of each variant.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace cudalab::course {

// Variants are compiled when the first one is requested. Thread-safe.
class KernelBatch {
 public:
  using Compile = std::function<compile::CompiledSource(const compile::CompileRequest&)>;

  // `sources` are the variants' texts. Each defines the same kernels: with C linkage, or the request names
  // the kernels that it wants.
  KernelBatch(std::vector<std::string> sources, Compile compile);

  // The PTX of one variant for a request whose source ends with that variant's text, possibly after other
  // code of the lab. Kernels with C linkage have their own names in it, others those in lowered_names. Empty
  // if the variant does not compile.
  std::optional<compile::CompiledSource> compiled(std::size_t variant,
                                                  const compile::CompileRequest& request);

 private:
  struct Group;
  using Made = std::vector<std::optional<compile::CompiledSource>>;
  void compile_variants(std::set<std::size_t> variants, const compile::CompileRequest& request,
                        const std::string& before, Made& made);

  std::vector<std::string> sources_;
  Compile compile_;
  std::mutex mutex_;
  std::map<std::string, Made> made_;  // by the compiler's arguments, without the source
};

// The names of the kernels (__global__ functions) that a source defines.
std::vector<std::string> kernel_names(const std::string& source);

// The PTX with only the kernels whose names contain `suffix` (not followed by a digit), and with that suffix
// removed from all names.
std::string ptx_of_variant(const std::string& ptx, const std::string& suffix);

// The name of a kernel, or of an instance of a template, inside a variant's namespace: "step<Plus>" becomes
// "variant2::step_variant2<variant2::Plus>" if the source declares Plus.
std::string name_in_variant(const std::string& name, const std::string& source, std::size_t variant);

// The PTX with a variant's variables renamed as in its original file.
std::string with_plain_variables(std::string ptx, std::size_t variant);

}  // namespace cudalab::course
