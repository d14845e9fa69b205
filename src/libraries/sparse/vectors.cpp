// cuSPARSE's functions of a sparse and a dense vector.
#include <algorithm>

#include "libraries/sparse/call.h"

namespace cudalab::sparse {
namespace {

struct SparseVectorOf {
  cusparseSpVecDescr vector{};
  std::size_t indices = 0, values = 0;

  // The elements' places in a dense vector of this size.
  std::vector<std::int64_t> places(const Reached& reached) const {
    std::vector<std::int64_t> result(vector.nnz);
    for (std::int64_t i = 0; i < vector.nnz; ++i) {
      result[i] = read_index(reached.at(indices), vector.index_type, i) - vector.base;
      if (result[i] < 0 || result[i] >= vector.size)
        reached.reach().wrong_index("indices", i, result[i] + vector.base, vector.base,
                                    vector.size + vector.base);
    }
    return result;
  }
};

// The two vectors of a call.
struct Vectors {
  SparseVectorOf x;
  VectorOf y{};

  Vectors(Call& call, cusparseConstSpVecDescr_t sparse, Access sparse_access, cusparseConstDnVecDescr_t dense,
          Access dense_access) {
    call.pointer("vecX", sparse);
    if (call.is_valid()) {
      x.vector = *sparse;
      x.indices =
          call.memory("indices", sparse->indices, sparse->nnz * bytes_of(sparse->index_type), Access::kRead);
      x.values = call.memory("values", sparse->values, sparse->nnz * bytes_of(sparse->type), sparse_access);
    }
    y = call.vector("vecY", dense, dense_access);
    if (!call.is_valid()) return;
    call.equal("the size of vecY", dense->size, sparse->size);
    call.supported(dense->type == sparse->type);
    call.costs(LibraryPattern::kUpdate, sparse->type, 2 * static_cast<double>(sparse->nnz));
  }
};

template <class W>
W dot(const Vectors& of, bool is_conjugate, const Reached& reached) {
  const auto x = read<W>(reached.at(of.x.values), of.x.vector.type, of.x.vector.nnz), y = of.y.in<W>(reached);
  const auto places = of.x.places(reached);
  W sum{};
  for (std::size_t i = 0; i < x.size(); ++i) sum += (is_conjugate ? conjugate(x[i]) : x[i]) * y[places[i]];
  return sum;
}

}  // namespace
}  // namespace cudalab::sparse

using namespace cudalab::sparse;

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t vecX,
                               const void* beta, cusparseDnVecDescr_t vecY) {
  Call call(__func__, handle);
  const Vectors of(call, vecX, Access::kRead, vecY, Access::kUpdate);
  const cudaDataType type = of.y.vector.type;
  const Factor by = call.factor("alpha", alpha, type), keep = call.factor("beta", beta, type);
  return call.finish([=](const Reached& reached) {
    with_numbers(type, [&]<class W>(W) {
      auto y = of.y.in<W>(reached);
      const auto x = read<W>(reached.at(of.x.values), type, of.x.vector.nnz);
      const auto places = of.x.places(reached);
      for (W& value : y) value *= keep.in<W>(reached);
      for (std::size_t i = 0; i < x.size(); ++i) y[places[i]] += by.in<W>(reached) * x[i];
      for (std::size_t i = 0; i < y.size(); ++i) write(reached.at(of.y.index), type, i, y[i]);
    });
  });
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                                cusparseSpVecDescr_t vecX) {
  Call call(__func__, handle);
  const Vectors of(call, vecX, Access::kWrite, vecY, Access::kRead);
  return call.finish([=](const Reached& reached) {
    const std::size_t bytes = bytes_of(of.y.vector.type);
    const auto places = of.x.places(reached);
    for (std::size_t i = 0; i < places.size(); ++i)
      std::copy_n(reached.at(of.y.index) + places[i] * bytes, bytes, reached.at(of.x.values) + i * bytes);
  });
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                 cusparseDnVecDescr_t vecY) {
  Call call(__func__, handle);
  const Vectors of(call, vecX, Access::kRead, vecY, Access::kUpdate);
  return call.finish([=](const Reached& reached) {
    const std::size_t bytes = bytes_of(of.y.vector.type);
    const auto places = of.x.places(reached);
    for (std::size_t i = 0; i < places.size(); ++i)
      std::copy_n(reached.at(of.x.values) + i * bytes, bytes, reached.at(of.y.index) + places[i] * bytes);
  });
}

cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c, const void* s, cusparseSpVecDescr_t vecX,
                             cusparseDnVecDescr_t vecY) {
  Call call(__func__, handle);
  const Vectors of(call, vecX, Access::kUpdate, vecY, Access::kUpdate);
  const cudaDataType type = of.y.vector.type;
  const Factor cosine = call.factor("c_coeff", c, type), sine = call.factor("s_coeff", s, type);
  return call.finish([=](const Reached& reached) {
    with_numbers(type, [&]<class W>(W) {
      const auto x = read<W>(reached.at(of.x.values), type, of.x.vector.nnz), y = of.y.in<W>(reached);
      const auto places = of.x.places(reached);
      const W by_c = cosine.in<W>(reached), by_s = sine.in<W>(reached);
      for (std::size_t i = 0; i < x.size(); ++i) {
        write(reached.at(of.x.values), type, i, by_c * x[i] + by_s * y[places[i]]);
        write(reached.at(of.y.index), type, places[i], by_c * y[places[i]] - by_s * x[i]);
      }
    });
  });
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t,
                                         cusparseConstSpVecDescr_t, cusparseConstDnVecDescr_t, const void*,
                                         cudaDataType, size_t* size) {
  Call call(__func__, handle);
  return answer_buffer_size(call, size);
}

cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                              cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY, void* result,
                              cudaDataType compute, void*) {
  Call call(__func__, handle);
  call.operation("opX", opX);
  call.pointer("result", result);
  call.supported(bytes_of(compute) > 0);
  const Vectors of(call, vecX, Access::kRead, vecY, Access::kRead);
  const bool is_on_device = call.has_factors_on_device();
  const std::size_t place =
      is_on_device ? call.memory("result", result, bytes_of(compute), Access::kWrite) : 0;
  return call.finish(
      [=](const Reached& reached) {
        with_numbers(compute, [&]<class W>(W) {
          auto* to = is_on_device ? reached.at(place) : static_cast<std::byte*>(result);
          write(to, compute, 0, dot<W>(of, opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, reached));
        });
      },
      !is_on_device && !call.is_captured());  // a graph gives the result to the host when it runs
}

}  // extern "C"
#pragma GCC visibility pop
