// The error numbers, names and texts of the CUDA runtime and of the driver API: rows from cuda_errors.txt, as
// libcudart 13.0 returns them, and from cuda_driver_errors.txt, as the driver 580 does.
#include "core/programs/cuda_errors.h"

#include <algorithm>
#include <iterator>

namespace cudalab {
namespace {

constexpr CudaErrorText kErrors[] = {
#include "embedded/cuda_errors.inc"
};

constexpr CudaErrorText kDriverErrors[] = {
#include "embedded/cuda_driver_errors.inc"
};

template <class Table, class Key, class Field>
const CudaErrorText* row_with(const Table& table, Key key, Field field) {
  const auto* found = std::ranges::find(table, key, field);
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

const CudaErrorText* find_cuda_error(int code) { return row_with(kErrors, code, &CudaErrorText::code); }
const CudaErrorText* find_driver_error(int code) {
  return row_with(kDriverErrors, code, &CudaErrorText::code);
}
const CudaErrorText* find_driver_error(std::string_view name) {
  return row_with(kDriverErrors, name, &CudaErrorText::name);
}

}  // namespace cudalab
