// cuFFT's interface: plans, their streams and layouts, and calls that transform memory in the order of a
// stream.
#include <cufftXt.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "libraries/fft/lines.h"
#include "libraries/fft/transform.h"
#include "runtime/library_work.h"

namespace cudalab::fft {
namespace {

using runtime::LibraryFailure;
using runtime::LibraryPattern;
using runtime::LibraryUnit;
using runtime::LibraryWork;

struct Status {
  cufftResult result = CUFFT_SUCCESS;
  LibraryFailure why{};
};

struct ResultName {
  cufftResult result;
  const char* name;
};
constexpr ResultName kResultNames[] = {
    {CUFFT_ALLOC_FAILED, "CUFFT_ALLOC_FAILED"},   {CUFFT_INVALID_DEVICE, "CUFFT_INVALID_DEVICE"},
    {CUFFT_INVALID_PLAN, "CUFFT_INVALID_PLAN"},   {CUFFT_INVALID_TYPE, "CUFFT_INVALID_TYPE"},
    {CUFFT_INVALID_VALUE, "CUFFT_INVALID_VALUE"}, {CUFFT_EXEC_FAILED, "CUFFT_EXEC_FAILED"},
    {CUFFT_SETUP_FAILED, "CUFFT_SETUP_FAILED"},   {CUFFT_INVALID_SIZE, "CUFFT_INVALID_SIZE"},
};

cufftResult ended(const char* call, const Status& status) {
  if (status.result == CUFFT_SUCCESS) return CUFFT_SUCCESS;
  const auto* row = std::ranges::find(kResultNames, status.result, &ResultName::result);
  __cudalabLibraryFailed(call, row == std::end(kResultNames) ? "CUFFT_INTERNAL_ERROR" : row->name,
                         status.why);
  return status.result;
}

// ---- plans ---------------------------------------------------------------------------------------------

struct Plan {
  Shape shape;
  std::shared_ptr<const Transform> transform;  // null: created, but not made
  bool has_layouts = false;                    // those of the program, otherwise the basic ones
  Layout input, output;
  cudaStream_t stream = nullptr;
  std::vector<int> gpus{};  // of cufftXtSetGPUs()
};

// Never destroyed: exit handlers of the program may still destroy plans.
struct Plans {
  std::mutex mutex;
  std::map<cufftHandle, Plan> all;
  cufftHandle last = 0;
};
Plans& plans() {
  static auto& made = *new Plans;
  return made;
}

template <class Body>
cufftResult with_plan(const char* call, cufftHandle handle, const Body& body) {
  Status status{CUFFT_INVALID_PLAN};
  {
    const std::lock_guard lock(plans().mutex);
    if (const auto found = plans().all.find(handle); found != plans().all.end()) status = body(found->second);
  }
  return ended(call, status);
}

Status create(cufftHandle* handle) {
  if (!handle) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "plan"}};
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return {CUFFT_SETUP_FAILED};
  const std::lock_guard lock(plans().mutex);
  *handle = ++plans().last;
  plans().all[*handle] = {};
  return {};
}

struct TypeRow {
  cufftType type;
  Kind kind;
  Precision precision;
};
constexpr TypeRow kTypes[] = {
    {CUFFT_C2C, Kind::kComplex, Precision::kSingle},
    {CUFFT_R2C, Kind::kRealToComplex, Precision::kSingle},
    {CUFFT_C2R, Kind::kComplexToReal, Precision::kSingle},
    {CUFFT_Z2Z, Kind::kComplex, Precision::kDouble},
    {CUFFT_D2Z, Kind::kRealToComplex, Precision::kDouble},
    {CUFFT_Z2D, Kind::kComplexToReal, Precision::kDouble},
};

struct PrecisionRow {
  cudaDataType real, complex;
  Precision precision;
};
constexpr PrecisionRow kPrecisions[] = {
    {CUDA_R_16F, CUDA_C_16F, Precision::kHalf},
    {CUDA_R_16BF, CUDA_C_16BF, Precision::kBfloat16},
    {CUDA_R_32F, CUDA_C_32F, Precision::kSingle},
    {CUDA_R_64F, CUDA_C_64F, Precision::kDouble},
};

// What a transform takes and gives, if the program's types say it.
struct Types {
  bool is_known = false;
  Kind kind = Kind::kComplex;
  Precision precision = Precision::kSingle;
  int given = 0;
};
Types types_of(cufftType type) {
  const auto* row = std::ranges::find(kTypes, type, &TypeRow::type);
  if (row == std::end(kTypes)) return {.given = type};
  return {true, row->kind, row->precision, type};
}
Types types_of(cudaDataType input, cudaDataType output, cudaDataType execution) {
  for (const auto& [real, complex, precision] : kPrecisions) {
    if (execution != real && execution != complex) continue;
    if (input == complex && output == complex) return {true, Kind::kComplex, precision, input};
    if (input == real && output == complex) return {true, Kind::kRealToComplex, precision, input};
    if (input == complex && output == real) return {true, Kind::kComplexToReal, precision, input};
  }
  return {.given = input};
}

// What the program asks for; sizes that an interface does not have are null or 1.
template <class Int>
struct Request {
  int rank;
  const Int* size;
  Types types;
  std::int64_t batch = 1;
  const Int *input_sizes = nullptr, *output_sizes = nullptr;  // with both, the layouts are the program's
  std::int64_t input_stride = 1, input_distance = 0, output_stride = 1, output_distance = 0;
};

template <class Int>
Layout layout_of(const Request<Int>& request, const Int* sizes, std::int64_t stride, std::int64_t distance) {
  Layout layout{{}, distance};
  for (int i = request.rank - 1; i >= 0; stride *= sizes[i--]) layout.strides[i] = stride;
  return layout;
}

template <class Int>
Status check(const Request<Int>& request) {
  if (!request.types.is_known)
    return {CUFFT_INVALID_TYPE, {LibraryFailure::kUnknown, "type", request.types.given}};
  if (request.rank < 1 || request.rank > kMaxRank)
    return {CUFFT_INVALID_VALUE, {LibraryFailure::kUnknown, "rank", request.rank}};
  if (!request.size) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "n"}};
  constexpr const char* kNames[] = {"nx", "ny", "nz"};
  for (int i = 0; i < request.rank; ++i)
    if (request.size[i] < 1)
      return {CUFFT_INVALID_SIZE, {LibraryFailure::kBelow, kNames[i], request.size[i], 1}};
  // The documentation restricts numbers of 16 bits to powers of two.
  for (int i = 0; i < request.rank && is_16_bit(request.types.precision); ++i)
    if (!std::has_single_bit(static_cast<std::uint64_t>(request.size[i])))
      return {CUFFT_INVALID_SIZE, {LibraryFailure::kUnsupported, kNames[i], request.size[i]}};
  if (request.batch < 1) return {CUFFT_INVALID_SIZE, {LibraryFailure::kBelow, "batch", request.batch, 1}};
  if (!request.input_sizes || !request.output_sizes) return {};
  if (request.input_stride < 1)
    return {CUFFT_INVALID_VALUE, {LibraryFailure::kBelow, "istride", request.input_stride, 1}};
  if (request.output_stride < 1)
    return {CUFFT_INVALID_VALUE, {LibraryFailure::kBelow, "ostride", request.output_stride, 1}};
  return {};
}

template <class Int>
Plan plan_of(const Request<Int>& request) {
  Plan plan;
  plan.shape = {request.types.kind, request.types.precision, request.rank, {1, 1, 1}, request.batch};
  std::copy_n(request.size, request.rank, plan.shape.size.begin());
  plan.has_layouts = request.input_sizes && request.output_sizes;
  if (plan.has_layouts) {
    plan.input = layout_of(request, request.input_sizes, request.input_stride, request.input_distance);
    plan.output = layout_of(request, request.output_sizes, request.output_stride, request.output_distance);
  }
  return plan;
}

// An estimate: one copy of the complex numbers. The host needs no work area.
std::size_t work_bytes(const Shape& shape) {
  const Sizes stored = shape.stored(shape.kind == Kind::kRealToComplex);
  const std::int64_t numbers = stored[0] * stored[1] * stored[2] * shape.batch;
  return static_cast<std::size_t>(numbers) * 2 * bytes_of(shape.precision);
}

template <class Int>
Status estimate_into(const Request<Int>& request, std::size_t* work_size) {
  const Status status = check(request);
  if (status.result != CUFFT_SUCCESS) return status;
  if (!work_size) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "workSize"}};
  *work_size = work_bytes(plan_of(request).shape);
  return {};
}

// cufftMakePlan...: `work_size` may be null for cufftPlan..., which has no such parameter.
template <class Int>
Status make(Plan& plan, const Request<Int>& request, std::size_t* work_size) {
  if (plan.transform) return {CUFFT_INVALID_PLAN};  // a plan is made once
  const Status status = check(request);
  if (status.result != CUFFT_SUCCESS) return status;
  Plan made = plan_of(request);
  made.stream = plan.stream;
  made.gpus = plan.gpus;
  plan = std::move(made);
  plan.transform = transform_of(plan.shape);
  // With several GPUs, the size of each one's work area.
  for (std::size_t i = 0; work_size && i < std::max<std::size_t>(1, plan.gpus.size()); ++i)
    work_size[i] = work_bytes(plan.shape) / std::max<std::size_t>(1, plan.gpus.size());
  return {};
}

template <class Int>
cufftResult make_created(const char* call, cufftHandle handle, const Request<Int>& request,
                         std::size_t* work_size) {
  return with_plan(call, handle, [&](Plan& plan) -> Status {
    if (!work_size) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "workSize"}};
    return make(plan, request, work_size);
  });
}

template <class Int>
cufftResult create_and_make(const char* call, cufftHandle* handle, const Request<Int>& request) {
  const Status status = create(handle);
  if (status.result != CUFFT_SUCCESS) return ended(call, status);
  const cufftResult result =
      with_plan(call, *handle, [&](Plan& plan) { return make(plan, request, nullptr); });
  const std::lock_guard lock(plans().mutex);
  if (result != CUFFT_SUCCESS) plans().all.erase(*handle);
  return result;
}

// ---- transforms ----------------------------------------------------------------------------------------

runtime::LibraryMemory memory_of(const Shape& shape, const Layout& layout, bool is_output,
                                 const void* address) {
  const Extent extent = extent_of(shape, layout, is_output);
  const std::size_t bytes = shape.element_bytes(is_output);
  return {.parameter = is_output ? "odata" : "idata",
          .address = address,
          .row_bytes = extent.row_elements * bytes,
          .rows = static_cast<std::size_t>(extent.rows),
          .pitch = extent.pitch * bytes,
          .is_read = !is_output,
          .is_written = is_output,
          .is_read_in_part = extent.has_gaps};
}

// What cuFFT does for one dimension of `length` elements, as far as its times on an H200 tell
// (expected/h200/transforms.jsonl). A block transforms a line in shared memory; longer lines take several
// kernels. Bluestein's algorithm transforms twice, at least at twice the length.
struct DimensionWork {
  double kernels = 1;
  double passes = 1;  // how often the array is read and written
  double line = 0;    // elements that one block transforms
};

DimensionWork work_of_dimension(std::int64_t elements) {
  constexpr double kLongestLine = 1 << 14, kLongestOfSeveral = 1 << 10, kPassesOfBluestein = 3;
  const auto length = static_cast<double>(elements);
  if (takes_bluestein(elements)) return {1, kPassesOfBluestein, std::exp2(std::ceil(std::log2(2 * length)))};
  if (length <= kLongestLine) return {1, 1, length};
  const double kernels = std::ceil(std::log2(length) / std::log2(kLongestOfSeveral));
  return {kernels, kernels, 0};
}

runtime::LibraryCost cost_of(const Shape& shape) {
  constexpr double kOperations = 5;       // per number and level of a radix-2 transform
  constexpr double kLineUsPerKib = 0.07;  // fitted, as LibraryPattern::kTransform is
  DimensionWork all{0, 0, 0};
  double size = 1;
  for (int i = 0; i < shape.rank; ++i) {
    const DimensionWork one = work_of_dimension(shape.size[i]);
    all = {all.kernels + one.kernels, all.passes + one.passes, all.line + one.line};
    size *= static_cast<double>(shape.size[i]);
  }
  const double share =
      shape.kind == Kind::kComplex ? 1 : 0.5;  // half of a real transform follows from the other
  return {.pattern = LibraryPattern::kTransform,
          .unit = shape.precision == Precision::kDouble ? LibraryUnit::kFp64
                  : is_16_bit(shape.precision)          ? LibraryUnit::kHalf
                                                        : LibraryUnit::kFp32,
          .operations =
              kOperations * share * size * static_cast<double>(shape.batch) * std::log2(std::max(size, 2.0)),
          .bytes = (all.passes - 1) * 2 * static_cast<double>(work_bytes(shape)),
          .steps = all.kernels,
          .latency_us =
              kLineUsPerKib * share * all.line * 2 * static_cast<double>(bytes_of(shape.precision)) / 1024};
}

LibraryWork work_of(const char* call, const Plan& plan, const void* in, void* out, bool is_inverse) {
  const bool is_in_place = in == out;
  const Layout input = plan.has_layouts ? plan.input : basic_layout(plan.shape, false, is_in_place);
  const Layout output = plan.has_layouts ? plan.output : basic_layout(plan.shape, true, is_in_place);
  LibraryWork work;
  work.library = "cuFFT";
  work.call = call;
  work.stream = plan.stream;
  work.memory = {memory_of(plan.shape, input, false, in), memory_of(plan.shape, output, true, out)};
  work.cost = cost_of(plan.shape);
  work.run = [=, transform = plan.transform](const std::vector<std::byte*>& memory,
                                             runtime::LibraryReach& reach) {
    transform->run(input, memory[0], output, memory[1], is_inverse, reach.threads());
  };
  return work;
}

// `type`: that of the function, or null for one that takes plans of all types.
Status check_call(const Plan& plan, const cufftType* type, const void* in, const void* out, int direction) {
  if (!plan.transform) return {CUFFT_INVALID_PLAN};
  const Types wanted = type ? types_of(*type) : Types{};
  if (type && (plan.shape.kind != wanted.kind || plan.shape.precision != wanted.precision))
    return {CUFFT_INVALID_TYPE, {LibraryFailure::kOfOtherType, "plan"}};
  if (!in) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "idata"}};
  if (!out) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "odata"}};
  if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)
    return {CUFFT_INVALID_VALUE, {LibraryFailure::kUnknown, "direction", direction}};
  return {};
}

cufftResult execute(const char* call, cufftHandle handle, const cufftType* type, const void* in, void* out,
                    int direction) {
  LibraryWork work;
  const cufftResult checked = with_plan(call, handle, [&](const Plan& plan) {
    const Status status = check_call(plan, type, in, out, direction);
    // The type of a real transform decides its direction.
    const bool is_inverse = plan.shape.kind == Kind::kComplex ? direction == CUFFT_INVERSE
                                                              : plan.shape.kind == Kind::kComplexToReal;
    if (status.result == CUFFT_SUCCESS) work = work_of(call, plan, in, out, is_inverse);
    return status;
  });
  if (checked != CUFFT_SUCCESS) return checked;
  return __cudalabLibraryWork(work) == cudaSuccess ? CUFFT_SUCCESS : ended(call, {CUFFT_EXEC_FAILED});
}

cufftResult execute(const char* call, cufftHandle handle, cufftType type, const void* in, void* out,
                    int direction) {
  return execute(call, handle, &type, in, out, direction);
}

// ---- memory on several GPUs ----------------------------------------------------------------------------

// The memory of a transform in place, divided into lines of the first dimension (of the batch, if there is
// one). GPU i has the lines after those of GPU i - 1, before and after a transform: elements are not
// permuted.
struct Division {
  std::int64_t lines = 0;
  std::size_t line_bytes = 0;
  std::int64_t begin(int gpu, int gpus) const { return lines * gpu / gpus; }
  std::size_t offset(int gpu, int gpus) const {
    return static_cast<std::size_t>(begin(gpu, gpus)) * line_bytes;
  }
};

Division division_of(const Shape& shape) {
  Shape whole = shape;
  whole.kind = Kind::kComplex;
  whole.size[shape.rank - 1] = shape.stored_last(shape.kind != Kind::kComplex);
  const std::size_t element = 2 * bytes_of(shape.precision);
  const std::int64_t inner = whole.size[0] * whole.size[1] * whole.size[2];
  if (shape.batch > 1) return {shape.batch, static_cast<std::size_t>(inner) * element};
  return {whole.size[0], static_cast<std::size_t>(inner / whole.size[0]) * element};
}

struct OnGpu {
  explicit OnGpu(int gpu) {
    cudaGetDevice(&before_);
    cudaSetDevice(gpu);
  }
  ~OnGpu() { cudaSetDevice(before_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = 0;
};

Status set_gpus(Plan& plan, int count, const int* gpus) {
  if (plan.transform) return {CUFFT_INVALID_PLAN};
  if (!gpus) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "whichGPUs"}};
  if (count < 1 || count > MAX_CUDA_DESCRIPTOR_GPUS)
    return {CUFFT_INVALID_VALUE, {LibraryFailure::kUnknown, "nGPUs", count}};
  int devices = 0;
  cudaGetDeviceCount(&devices);
  for (int i = 0; i < count; ++i)
    if (gpus[i] < 0 || gpus[i] >= devices)
      return {CUFFT_INVALID_DEVICE, {LibraryFailure::kUnknown, "whichGPUs", gpus[i]}};
  plan.gpus.assign(gpus, gpus + count);
  return {};
}

void release(cudaLibXtDesc* memory) {
  for (int i = 0; i < memory->descriptor->nGPUs; ++i) {
    const OnGpu gpu(memory->descriptor->GPUs[i]);
    cudaFree(memory->descriptor->data[i]);
  }
  delete memory->descriptor;
  delete memory;
}

Status allocate(const Plan& plan, cudaLibXtDesc** place, int format) {
  if (!plan.transform || plan.gpus.empty()) return {CUFFT_INVALID_PLAN};
  if (!place) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "descriptor"}};
  const Division division = division_of(plan.shape);
  auto* memory = new cudaLibXtDesc{};
  memory->descriptor = new cudaXtDesc{};
  memory->subFormat = format;
  const int count = static_cast<int>(plan.gpus.size());
  for (int i = 0; i < count; ++i) {
    const OnGpu gpu(plan.gpus[i]);
    cudaXtDesc& all = *memory->descriptor;
    all.GPUs[i] = plan.gpus[i];
    all.size[i] = division.offset(i + 1, count) - division.offset(i, count);
    if (cudaMalloc(&all.data[i], all.size[i]) != cudaSuccess) {
      release(memory);
      return {CUFFT_ALLOC_FAILED};
    }
    all.nGPUs = i + 1;
  }
  *place = memory;
  return {};
}

Status copy(void* to, void* from, cufftXtCopyType type) {
  if (!to) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "dstPointer"}};
  if (!from) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "srcPointer"}};
  if (type < CUFFT_COPY_HOST_TO_DEVICE || type > CUFFT_COPY_DEVICE_TO_DEVICE)
    return {CUFFT_INVALID_TYPE, {LibraryFailure::kUnknown, "type", type}};
  const bool is_from_host = type == CUFFT_COPY_HOST_TO_DEVICE, is_to_host = type == CUFFT_COPY_DEVICE_TO_HOST;
  auto* there = static_cast<cudaLibXtDesc*>(is_from_host ? to : from);
  std::size_t offset = 0;
  for (int i = 0; i < there->descriptor->nGPUs; ++i) {
    const OnGpu gpu(there->descriptor->GPUs[i]);
    const std::size_t bytes = there->descriptor->size[i];
    void* of_gpu = there->descriptor->data[i];
    void* other = type == CUFFT_COPY_DEVICE_TO_DEVICE
                      ? static_cast<cudaLibXtDesc*>(to)->descriptor->data[i]
                      : static_cast<std::byte*>(is_from_host ? from : to) + offset;
    const cudaError_t error = is_from_host ? cudaMemcpy(of_gpu, other, bytes, cudaMemcpyHostToDevice)
                              : is_to_host ? cudaMemcpy(other, of_gpu, bytes, cudaMemcpyDeviceToHost)
                                           : cudaMemcpy(other, of_gpu, bytes, cudaMemcpyDeviceToDevice);
    if (error != cudaSuccess) return {CUFFT_EXEC_FAILED};
    offset += bytes;
  }
  // As in cuFFT, a copy on the GPUs restores the natural order.
  if (type == CUFFT_COPY_DEVICE_TO_DEVICE)
    static_cast<cudaLibXtDesc*>(to)->subFormat = CUFFT_XT_FORMAT_INPLACE;
  return {};
}

// The parts of all GPUs are transformed together, in the plan's stream.
LibraryWork work_on_gpus(const char* call, const Plan& plan, const cudaLibXtDesc& in,
                         const cudaLibXtDesc& out, bool is_inverse) {
  LibraryWork work;
  work.library = "cuFFT";
  work.call = call;
  work.stream = plan.stream;
  work.cost = cost_of(plan.shape);
  std::vector<std::size_t> sizes;
  for (const cudaLibXtDesc* each : {&in, &out})
    for (int i = 0; i < each->descriptor->nGPUs; ++i) {
      sizes.push_back(each->descriptor->size[i]);
      work.memory.push_back({.parameter = each == &in ? "input" : "output",
                             .address = each->descriptor->data[i],
                             .row_bytes = sizes.back(),
                             .is_read = each == &in,
                             .is_written = each == &out,
                             .is_read_in_part = true});
    }
  if (&in == &out) {
    for (auto& each : work.memory) each.is_read = each.is_written = true;
    work.memory.resize(static_cast<std::size_t>(in.descriptor->nGPUs));
  }
  const Shape shape = plan.shape;
  work.run = [=, transform = plan.transform](const std::vector<std::byte*>& memory,
                                             runtime::LibraryReach& reach) {
    const std::size_t parts = sizes.size() / 2, first_output = memory.size() - parts;
    std::vector<std::byte> all;
    for (std::size_t i = 0; i < parts; ++i) all.insert(all.end(), memory[i], memory[i] + sizes[i]);
    transform->run(basic_layout(shape, false, true), all.data(), basic_layout(shape, true, true), all.data(),
                   is_inverse, reach.threads());
    const std::byte* from = all.data();
    for (std::size_t i = 0; i < parts; ++i)
      std::copy_n(from, sizes[i], memory[first_output + i]), from += sizes[i];
  };
  return work;
}

cufftResult execute_on_gpus(const char* call, cufftHandle handle, const cufftType* type, cudaLibXtDesc* in,
                            cudaLibXtDesc* out, int direction) {
  LibraryWork work;
  int first = 0;
  const cufftResult checked = with_plan(call, handle, [&](const Plan& plan) -> Status {
    const Status status = check_call(plan, type, in, out, direction);
    if (status.result != CUFFT_SUCCESS) return status;
    const bool is_inverse = plan.shape.kind == Kind::kComplex ? direction == CUFFT_INVERSE
                                                              : plan.shape.kind == Kind::kComplexToReal;
    std::size_t bytes = 0;
    for (int i = 0; i < in->descriptor->nGPUs; ++i) bytes += in->descriptor->size[i];
    const Division division = division_of(plan.shape);
    if (bytes != static_cast<std::size_t>(division.lines) * division.line_bytes ||
        in->descriptor->nGPUs != out->descriptor->nGPUs)
      return {CUFFT_INVALID_VALUE, {LibraryFailure::kOfOtherType, "input"}};
    const bool is_natural =
        in->subFormat == CUFFT_XT_FORMAT_INPLACE || in->subFormat == CUFFT_XT_FORMAT_INPUT;
    work = work_on_gpus(call, plan, *in, *out, is_inverse);
    first = in->descriptor->GPUs[0];
    out->subFormat = is_natural ? CUFFT_XT_FORMAT_INPLACE_SHUFFLED : CUFFT_XT_FORMAT_INPLACE;
    return status;
  });
  if (checked != CUFFT_SUCCESS) return checked;
  // Work of the other GPUs may be in flight before and after the call, in streams that do not wait for this
  // one.
  for (int i = 1; i < in->descriptor->nGPUs; ++i) {
    const OnGpu gpu(in->descriptor->GPUs[i]);
    cudaDeviceSynchronize();
  }
  const OnGpu gpu(first);
  work.waits = true;
  return __cudalabLibraryWork(work) == cudaSuccess ? CUFFT_SUCCESS : ended(call, {CUFFT_EXEC_FAILED});
}

}  // namespace
}  // namespace cudalab::fft

using namespace cudalab::fft;

#pragma GCC visibility push(default)
extern "C" {

cufftResult cufftCreate(cufftHandle* handle) { return ended(__func__, create(handle)); }

// Work that is still queued owns its transform.
cufftResult cufftDestroy(cufftHandle plan) {
  const std::lock_guard lock(plans().mutex);
  return ended(__func__, {plans().all.erase(plan) == 1 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN});
}

// Each shape has four functions: one that creates a plan, one that makes a created plan, and two that
// estimate its work area.
#define FFT_PLANS(shape, parameters, sizes, batch)                                                         \
  cufftResult cufftPlan##shape(cufftHandle* plan, FFT_LIST parameters) {                                   \
    const int n[] = {FFT_LIST sizes};                                                                      \
    return create_and_make(__func__, plan, Request<int>{std::size(n), n, types_of(type), batch});          \
  }                                                                                                        \
  cufftResult cufftMakePlan##shape(cufftHandle plan, FFT_LIST parameters, size_t* workSize) {              \
    const int n[] = {FFT_LIST sizes};                                                                      \
    return make_created(__func__, plan, Request<int>{std::size(n), n, types_of(type), batch}, workSize);   \
  }                                                                                                        \
  cufftResult cufftEstimate##shape(FFT_LIST parameters, size_t* workSize) {                                \
    const int n[] = {FFT_LIST sizes};                                                                      \
    return ended(__func__, estimate_into(Request<int>{std::size(n), n, types_of(type), batch}, workSize)); \
  }                                                                                                        \
  cufftResult cufftGetSize##shape(cufftHandle plan, FFT_LIST parameters, size_t* workSize) {               \
    const int n[] = {FFT_LIST sizes};                                                                      \
    return with_plan(__func__, plan, [&](Plan&) {                                                          \
      return estimate_into(Request<int>{std::size(n), n, types_of(type), batch}, workSize);                \
    });                                                                                                    \
  }
#define FFT_LIST(...) __VA_ARGS__
FFT_PLANS(1d, (int nx, cufftType type, int batch), (nx), batch)
FFT_PLANS(2d, (int nx, int ny, cufftType type), (nx, ny), 1)
FFT_PLANS(3d, (int nx, int ny, int nz, cufftType type), (nx, ny, nz), 1)

#define FFT_LAYOUT_PARAMETERS(INT)                                                              \
  int rank, INT *n, INT *inembed, INT istride, INT idist, INT *onembed, INT ostride, INT odist, \
      cufftType type, INT batch
#define FFT_REQUEST(INT) \
  (Request<INT>{rank, n, types_of(type), batch, inembed, onembed, istride, idist, ostride, odist})

cufftResult cufftPlanMany(cufftHandle* plan, FFT_LAYOUT_PARAMETERS(int)) {
  return create_and_make(__func__, plan, FFT_REQUEST(int));
}
cufftResult cufftMakePlanMany(cufftHandle plan, FFT_LAYOUT_PARAMETERS(int), size_t* workSize) {
  return make_created(__func__, plan, FFT_REQUEST(int), workSize);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, FFT_LAYOUT_PARAMETERS(long long), size_t* workSize) {
  return make_created(__func__, plan, FFT_REQUEST(long long), workSize);
}
cufftResult cufftEstimateMany(FFT_LAYOUT_PARAMETERS(int), size_t* workSize) {
  return ended(__func__, estimate_into(FFT_REQUEST(int), workSize));
}
cufftResult cufftGetSizeMany(cufftHandle plan, FFT_LAYOUT_PARAMETERS(int), size_t* workSize) {
  return with_plan(__func__, plan, [&](Plan&) { return estimate_into(FFT_REQUEST(int), workSize); });
}
cufftResult cufftGetSizeMany64(cufftHandle plan, FFT_LAYOUT_PARAMETERS(long long), size_t* workSize) {
  return with_plan(__func__, plan, [&](Plan&) { return estimate_into(FFT_REQUEST(long long), workSize); });
}

#define FFT_XT_PARAMETERS                                                                           \
  cufftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, \
      cudaDataType inputtype, long long *onembed, long long ostride, long long odist,               \
      cudaDataType outputtype, long long batch, size_t *workSize, cudaDataType executiontype
#define FFT_XT_REQUEST                                                                                  \
  (Request<long long>{rank, n, types_of(inputtype, outputtype, executiontype), batch, inembed, onembed, \
                      istride, idist, ostride, odist})
cufftResult cufftXtMakePlanMany(FFT_XT_PARAMETERS) {
  return make_created(__func__, plan, FFT_XT_REQUEST, workSize);
}
cufftResult cufftXtGetSizeMany(FFT_XT_PARAMETERS) {
  return with_plan(__func__, plan, [&](Plan&) { return estimate_into(FFT_XT_REQUEST, workSize); });
}
cufftResult cufftXtExec(cufftHandle plan, void* input, void* output, int direction) {
  return execute(__func__, plan, nullptr, input, output, direction);
}

cufftResult cufftXtSetGPUs(cufftHandle plan, int nGPUs, int* whichGPUs) {
  return with_plan(__func__, plan, [&](Plan& found) { return set_gpus(found, nGPUs, whichGPUs); });
}
cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc** descriptor, cufftXtSubFormat format) {
  return with_plan(__func__, plan, [&](const Plan& found) { return allocate(found, descriptor, format); });
}
cufftResult cufftXtFree(cudaLibXtDesc* descriptor) {
  if (!descriptor) return ended(__func__, {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "descriptor"}});
  release(descriptor);
  return CUFFT_SUCCESS;
}
cufftResult cufftXtMemcpy(cufftHandle plan, void* to, void* from, cufftXtCopyType type) {
  const cufftResult checked = with_plan(__func__, plan, [](const Plan& found) -> Status {
    return {found.transform ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN};
  });
  return checked == CUFFT_SUCCESS ? ended(__func__, copy(to, from, type)) : checked;
}
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output,
                                  int direction) {
  return execute_on_gpus(__func__, plan, nullptr, input, output, direction);
}
#define FFT_DESCRIPTORS(name)                                                                            \
  cufftResult cufftXtExecDescriptor##name(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output, \
                                          int direction) {                                               \
    constexpr cufftType kType = CUFFT_##name;                                                            \
    return execute_on_gpus(__func__, plan, &kType, input, output, direction);                            \
  }
#define FFT_REAL_DESCRIPTORS(name)                                                                         \
  cufftResult cufftXtExecDescriptor##name(cufftHandle plan, cudaLibXtDesc* input, cudaLibXtDesc* output) { \
    constexpr cufftType kType = CUFFT_##name;                                                              \
    return execute_on_gpus(__func__, plan, &kType, input, output, CUFFT_FORWARD);                          \
  }
FFT_DESCRIPTORS(C2C)
FFT_DESCRIPTORS(Z2Z)
FFT_REAL_DESCRIPTORS(R2C)
FFT_REAL_DESCRIPTORS(D2Z)
FFT_REAL_DESCRIPTORS(C2R)
FFT_REAL_DESCRIPTORS(Z2D)

cufftResult cufftGetSize(cufftHandle plan, size_t* workSize) {
  return with_plan(__func__, plan, [&](const Plan& found) -> Status {
    if (!found.transform) return {CUFFT_INVALID_PLAN};
    if (!workSize) return {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "workSize"}};
    *workSize = work_bytes(found.shape);
    return {};
  });
}

// Accepted and ignored: the host allocates what it needs.
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy, size_t*) {
  return with_plan(__func__, plan, [](const Plan&) { return Status{}; });
}
cufftResult cufftSetWorkArea(cufftHandle plan, void*) {
  return with_plan(__func__, plan, [](const Plan&) { return Status{}; });
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) {
  return with_plan(__func__, plan, [](const Plan&) { return Status{}; });
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  return with_plan(__func__, plan, [&](Plan& found) {
    found.stream = stream;
    return Status{};
  });
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* idata, cufftComplex* odata, int direction) {
  return execute(__func__, plan, CUFFT_C2C, idata, odata, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleComplex* odata,
                         int direction) {
  return execute(__func__, plan, CUFFT_Z2Z, idata, odata, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* idata, cufftComplex* odata) {
  return execute(__func__, plan, CUFFT_R2C, idata, odata, CUFFT_FORWARD);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* idata, cufftDoubleComplex* odata) {
  return execute(__func__, plan, CUFFT_D2Z, idata, odata, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* idata, cufftReal* odata) {
  return execute(__func__, plan, CUFFT_C2R, idata, odata, CUFFT_INVERSE);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleReal* odata) {
  return execute(__func__, plan, CUFFT_Z2D, idata, odata, CUFFT_INVERSE);
}

cufftResult cufftGetVersion(int* version) {
  if (!version) return ended(__func__, {CUFFT_INVALID_VALUE, {LibraryFailure::kNull, "version"}});
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  constexpr int kParts[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
  if (!value || static_cast<std::size_t>(type) >= std::size(kParts))
    return ended(__func__, {CUFFT_INVALID_VALUE, {LibraryFailure::kUnknown, "type", type}});
  *value = kParts[type];
  return CUFFT_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
