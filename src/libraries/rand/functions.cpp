// cuRAND's host API: generators, their options, and calls that fill memory, either on the device in the order
// of a stream or immediately on the host.
#include <curand.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "libraries/rand/sequence.h"
#include "runtime/library_work.h"

using cudalab::rand::Distribution;
using cudalab::rand::Drawing;
using cudalab::rand::GeneratorKind;
using cudalab::rand::Position;
using cudalab::rand::Sequence;

// While no option changes, queued work continues one sequence. After a change, the next call begins a new
// sequence at the position that the calls so far have reached. Work that was queued before keeps the old
// sequence.
struct curandGenerator_st {
  GeneratorKind kind = GeneratorKind::kXorwow;
  bool is_on_host = false, is_legacy = false;
  cudaStream_t stream = nullptr;
  unsigned long long seed = 0;
  Position position{};
  std::shared_ptr<Sequence> sequence{};  // empty after a change
};

namespace cudalab::rand {
namespace {

using runtime::LibraryFailure;
using runtime::LibraryUnit;
using runtime::LibraryWork;

struct StatusName {
  curandStatus_t status;
  const char* name;
};
constexpr StatusName kStatusNames[] = {
    {CURAND_STATUS_NOT_INITIALIZED, "CURAND_STATUS_NOT_INITIALIZED"},
    {CURAND_STATUS_ALLOCATION_FAILED, "CURAND_STATUS_ALLOCATION_FAILED"},
    {CURAND_STATUS_TYPE_ERROR, "CURAND_STATUS_TYPE_ERROR"},
    {CURAND_STATUS_OUT_OF_RANGE, "CURAND_STATUS_OUT_OF_RANGE"},
    {CURAND_STATUS_LENGTH_NOT_MULTIPLE, "CURAND_STATUS_LENGTH_NOT_MULTIPLE"},
    {CURAND_STATUS_LAUNCH_FAILURE, "CURAND_STATUS_LAUNCH_FAILURE"},
    {CURAND_STATUS_INITIALIZATION_FAILED, "CURAND_STATUS_INITIALIZATION_FAILED"},
};

curandStatus_t failed(const char* call, curandStatus_t status, const LibraryFailure& why = {}) {
  const auto* row = std::ranges::find(kStatusNames, status, &StatusName::status);
  __cudalabLibraryFailed(call, row == std::end(kStatusNames) ? "CURAND_STATUS_INTERNAL_ERROR" : row->name,
                         why);
  return status;
}

// Reports a feature of NVIDIA's library that this one lacks.
curandStatus_t missing(const char* what) {
  __cudalabLibraryMissing(what);
  return CURAND_STATUS_TYPE_ERROR;
}

// Never destroyed: exit handlers of the program may still destroy generators.
struct Generators {
  std::mutex mutex;
  std::set<curandGenerator_t> all;
};
Generators& generators() {
  static auto& made = *new Generators;
  return made;
}

bool is_generator(curandGenerator_t generator) {
  const std::lock_guard lock(generators().mutex);
  return generators().all.contains(generator);
}

struct TypeRow {
  curandRngType_t type;
  GeneratorKind kind;
  const char* missing;  // null: generators of this kind are implemented
};
constexpr TypeRow kTypes[] = {
    {CURAND_RNG_PSEUDO_DEFAULT, GeneratorKind::kXorwow, nullptr},
    {CURAND_RNG_PSEUDO_XORWOW, GeneratorKind::kXorwow, nullptr},
    {CURAND_RNG_PSEUDO_MRG32K3A, GeneratorKind::kMrg32k3a, nullptr},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, GeneratorKind::kPhilox, nullptr},
    {CURAND_RNG_PSEUDO_MTGP32, {}, "curandCreateGenerator(CURAND_RNG_PSEUDO_MTGP32)"},
    {CURAND_RNG_PSEUDO_MT19937, {}, "curandCreateGenerator(CURAND_RNG_PSEUDO_MT19937)"},
    {CURAND_RNG_QUASI_DEFAULT, {}, "curandCreateGenerator(CURAND_RNG_QUASI_DEFAULT)"},
    {CURAND_RNG_QUASI_SOBOL32, {}, "curandCreateGenerator(CURAND_RNG_QUASI_SOBOL32)"},
    {CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, {}, "curandCreateGenerator(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32)"},
    {CURAND_RNG_QUASI_SOBOL64, {}, "curandCreateGenerator(CURAND_RNG_QUASI_SOBOL64)"},
    {CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, {}, "curandCreateGenerator(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)"},
};

curandStatus_t create(const char* call, curandGenerator_t* generator, curandRngType_t type, bool is_on_host) {
  if (!generator) return failed(call, CURAND_STATUS_OUT_OF_RANGE, {LibraryFailure::kNull, "generator"});
  const auto* row = std::ranges::find(kTypes, type, &TypeRow::type);
  if (row == std::end(kTypes))
    return failed(call, CURAND_STATUS_TYPE_ERROR, {LibraryFailure::kUnknown, "rng_type", type});
  if (row->missing) return missing(row->missing);
  int devices = 0;
  if (!is_on_host && (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0))
    return failed(call, CURAND_STATUS_INITIALIZATION_FAILED);
  *generator = new curandGenerator_st{.kind = row->kind, .is_on_host = is_on_host};
  const std::lock_guard lock(generators().mutex);
  generators().all.insert(*generator);
  return CURAND_STATUS_SUCCESS;
}

template <class Body>
curandStatus_t with_generator(const char* call, curandGenerator_t generator, const Body& body) {
  if (!is_generator(generator))
    return failed(call, CURAND_STATUS_NOT_INITIALIZED,
                  generator ? LibraryFailure{} : LibraryFailure{LibraryFailure::kNull, "generator"});
  return body(*generator);
}

template <class Body>
curandStatus_t with_changed_generator(const char* call, curandGenerator_t generator, const Body& body) {
  return with_generator(call, generator, [&](curandGenerator_st& options) {
    const curandStatus_t status = body(options);
    if (status == CURAND_STATUS_SUCCESS) options.sequence.reset();
    return status;
  });
}

std::shared_ptr<Sequence> sequence_of(curandGenerator_st& generator) {
  if (!generator.sequence)
    generator.sequence = sequence_from(generator.kind, columns_of(generator.kind, generator.is_legacy),
                                       generator.seed, generator.position);
  return generator.sequence;
}

curandStatus_t put_on_device(const char* call, curandGenerator_st& generator, const Drawing& drawing,
                             void* output, std::size_t count) {
  LibraryWork work;
  work.library = "cuRAND";
  work.call = call;
  work.stream = generator.stream;
  work.memory = {{.parameter = "outputPtr",
                  .address = output,
                  .row_bytes = count * number_bytes(drawing.distribution),
                  .is_read = false,
                  .is_written = true}};
  work.cost.unit = LibraryUnit::kInt;
  work.cost.operations =
      static_cast<double>(count) * operations_per_number(generator.kind, drawing.distribution);
  work.run = [sequence = sequence_of(generator), drawing, count](const std::vector<std::byte*>& memory,
                                                                 runtime::LibraryReach& reach) {
    sequence->fill(drawing, memory[0], count, reach.threads());
  };
  return __cudalabLibraryWork(work) == cudaSuccess ? CURAND_STATUS_SUCCESS
                                                   : failed(call, CURAND_STATUS_LAUNCH_FAILURE);
}

curandStatus_t generate(const char* call, curandGenerator_t handle, const Drawing& drawing, void* output,
                        std::size_t count) {
  return with_generator(call, handle, [&](curandGenerator_st& generator) {
    const unsigned per_turn = numbers_per_turn(generator.kind, drawing.distribution);
    // Philox4x32-10 keeps the unused ones of four numbers for the next call. Pairs are only given whole.
    if (generator.kind != GeneratorKind::kPhilox && count % per_turn != 0)
      return failed(call, CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    if (count == 0) return CURAND_STATUS_SUCCESS;
    curandStatus_t status = CURAND_STATUS_SUCCESS;
    if (generator.is_on_host)
      sequence_of(generator)->fill(drawing, output, count, std::thread::hardware_concurrency());
    else
      status = put_on_device(call, generator, drawing, output, count);
    if (status == CURAND_STATUS_SUCCESS) generator.position = after(generator.position, count, per_turn);
    return status;
  });
}

curandStatus_t set_ordering(curandGenerator_st& generator, curandOrdering_t order) {
  constexpr const char* kCall = "curandSetGeneratorOrdering";
  switch (order) {
    case CURAND_ORDERING_PSEUDO_BEST:
    case CURAND_ORDERING_PSEUDO_DEFAULT: generator.is_legacy = false; return CURAND_STATUS_SUCCESS;
    case CURAND_ORDERING_PSEUDO_LEGACY: generator.is_legacy = true; return CURAND_STATUS_SUCCESS;
    // The dynamic ordering may differ between GPUs; here it is the default ordering.
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
      if (generator.is_on_host) return failed(kCall, CURAND_STATUS_OUT_OF_RANGE);
      generator.is_legacy = false;
      return CURAND_STATUS_SUCCESS;
    case CURAND_ORDERING_PSEUDO_SEEDED:
      if (generator.kind != GeneratorKind::kXorwow) return failed(kCall, CURAND_STATUS_OUT_OF_RANGE);
      missing("curandSetGeneratorOrdering(CURAND_ORDERING_PSEUDO_SEEDED)");
      return CURAND_STATUS_OUT_OF_RANGE;
    default: return failed(kCall, CURAND_STATUS_OUT_OF_RANGE, {LibraryFailure::kUnknown, "order", order});
  }
}

}  // namespace
}  // namespace cudalab::rand

using namespace cudalab::rand;

#pragma GCC visibility push(default)
extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(__func__, generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(__func__, generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  return with_generator(__func__, generator, [&](curandGenerator_st&) {
    const std::lock_guard lock(generators().mutex);
    generators().all.erase(generator);
    delete generator;  // work that is still queued owns its sequence
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandGetVersion(int* version) {
  if (!version) return failed(__func__, CURAND_STATUS_OUT_OF_RANGE, {LibraryFailure::kNull, "version"});
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
  constexpr int kParts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
  if (!value || static_cast<std::size_t>(type) >= std::size(kParts))
    return failed(__func__, CURAND_STATUS_OUT_OF_RANGE, {LibraryFailure::kUnknown, "type", type});
  *value = kParts[type];
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  return with_generator(__func__, generator, [&](curandGenerator_st& options) {
    options.stream = stream;
    return CURAND_STATUS_SUCCESS;
  });
}

// The position in the sequence stays.
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  return with_changed_generator(__func__, generator, [&](curandGenerator_st& options) {
    options.seed = seed;
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  return with_changed_generator(__func__, generator, [&](curandGenerator_st& options) {
    options.position = after({}, offset, numbers_per_turn(options.kind, Distribution::kBits));
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  return with_changed_generator(__func__, generator,
                                [&](curandGenerator_st& options) { return set_ordering(options, order); });
}

// All generators here are pseudorandom, so they have no dimensions.
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int) {
  return with_generator(__func__, generator, [](curandGenerator_st&) {
    return failed("curandSetQuasiRandomGeneratorDimensions", CURAND_STATUS_TYPE_ERROR);
  });
}

// Nothing to do here: states are initialized when they are first needed.
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return with_generator(__func__, generator, [](curandGenerator_st&) { return CURAND_STATUS_SUCCESS; });
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* output, size_t n) {
  return generate(__func__, generator, {Distribution::kBits}, output, n);
}

// Only 64-bit generators have this function; there are none here.
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long*, size_t) {
  return with_generator(__func__, generator, [](curandGenerator_st&) {
    return failed("curandGenerateLongLong", CURAND_STATUS_TYPE_ERROR);
  });
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output, size_t n) {
  return generate(__func__, generator, {Distribution::kUniform}, output, n);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output, size_t n) {
  return generate(__func__, generator, {Distribution::kUniformDouble}, output, n);
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output, size_t n, float mean,
                                    float stddev) {
  return generate(__func__, generator, {Distribution::kNormal, mean, stddev}, output, n);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output, size_t n, double mean,
                                          double stddev) {
  return generate(__func__, generator, {Distribution::kNormalDouble, mean, stddev}, output, n);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* output, size_t n, float mean,
                                       float stddev) {
  return generate(__func__, generator, {Distribution::kLogNormal, mean, stddev}, output, n);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* output, size_t n,
                                             double mean, double stddev) {
  return generate(__func__, generator, {Distribution::kLogNormalDouble, mean, stddev}, output, n);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* output, size_t n,
                                     double lambda) {
  if (!(lambda > 0)) {
    const auto kind = lambda < 0 ? LibraryFailure::kNegative : LibraryFailure::kZero;
    return failed(__func__, CURAND_STATUS_OUT_OF_RANGE,
                  {kind, "lambda", static_cast<long long>(std::floor(std::max(lambda, -0x1p62)))});
  }
  return generate(__func__, generator, {Distribution::kPoisson, lambda}, output, n);
}

}  // extern "C"
#pragma GCC visibility pop
