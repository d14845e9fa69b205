// The CUDA runtime's error numbers, names and texts: rows from cuda_errors.txt, as libcudart 13.0 returns
// them.
#include "core/programs/cuda_errors.h"

#include <algorithm>
#include <iterator>

namespace cudalab {
namespace {

constexpr CudaErrorText kErrors[] = {
#include "embedded/cuda_errors.inc"
};

}  // namespace

const CudaErrorText* find_cuda_error(int code) {
  const auto* found = std::ranges::find(kErrors, code, &CudaErrorText::code);
  return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace cudalab
