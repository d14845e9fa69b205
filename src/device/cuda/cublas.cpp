// Implements LinearAlgebra with cuBLAS. cuBLAS matrices are column-major, so a matrix multiplication is
// computed transposed: the row-major C is the column-major transpose of C, which equals the transpose of B
// times the transpose of A.
#include "device/cuda/cublas.h"

#include <cstdint>

#include "compile/toolkit.h"
#include "core/text.h"
#include "messages/compile.h"
#include "messages/core.h"
#include "messages/device.h"

namespace cudalab::device {
namespace {

// The ABI of cuBLAS 12 and 13 (cublas_api.h): handles are pointers, enumerators are ints. It is declared here
// because the smallest toolkit that can build this program does not include the header.
using Handle = void*;
using Count = std::int64_t;  // the integer type of functions whose names end in _64
constexpr int kSuccess = 0, kNotTransposed = 0, kTransposed = 1, kScalarsOnHost = 0, kScalarsOnDevice = 1;

template <class T>
struct Functions {
  int (*dot)(Handle, Count, const T*, Count, const T*, Count, T*);
  int (*multiply_vector)(Handle, int, Count, Count, const T*, const T*, Count, const T*, Count, const T*, T*,
                         Count);
  int (*multiply)(Handle, int, int, Count, Count, Count, const T*, const T*, Count, const T*, Count, const T*,
                  T*, Count);
};

struct Cublas {
  int (*create)(Handle*);
  int (*destroy)(Handle);
  int (*set_stream)(Handle, CUstream);
  int (*set_pointer_mode)(Handle, int);
  Functions<float> of_float;
  Functions<double> of_double;
};

template <class T>
Functions<T> functions_of(const compile::SharedLibrary& library, const std::string& letter) {
  const auto name = [&](const char* operation) { return "cublas" + letter + operation + "_v2_64"; };
  return {library.function<decltype(Functions<T>::dot)>(name("dot").c_str()),
          library.function<decltype(Functions<T>::multiply_vector)>(name("gemv").c_str()),
          library.function<decltype(Functions<T>::multiply)>(name("gemm").c_str())};
}

template <class T>
bool is_complete(const Functions<T>& functions) {
  return functions.dot && functions.multiply_vector && functions.multiply;
}

Cublas find_cublas() {
  const Message advice = msg::advice_install_cublas();

  const auto [library, passed_over] = find_cublas_library();
  if (!library && passed_over.empty()) throw unavailable_error(msg::cublas_missing(advice));
  if (!library) {
    Message problems = passed_over.front();
    for (std::size_t i = 1; i < passed_over.size(); ++i)
      problems = msg::message_and_addition(problems, passed_over[i]);
    throw unavailable_error(msg::message_and_addition(problems, advice));
  }
  const Cublas found{library->function<decltype(Cublas::create)>("cublasCreate_v2"),
                     library->function<decltype(Cublas::destroy)>("cublasDestroy_v2"),
                     library->function<decltype(Cublas::set_stream)>("cublasSetStream_v2"),
                     library->function<decltype(Cublas::set_pointer_mode)>("cublasSetPointerMode_v2"),
                     functions_of<float>(*library, "S"),
                     functions_of<double>(*library, "D")};
  if (!found.create || !found.destroy || !found.set_stream || !found.set_pointer_mode ||
      !is_complete(found.of_float) || !is_complete(found.of_double))
    throw unavailable_error(msg::cublas_lacks_functions(library->path().string(), advice));
  return found;
}

void check(int status, const char* call) {
  if (status != kSuccess) throw unavailable_error(msg::cublas_call_failed(call, status));
}

Count count_of(std::size_t size) { return static_cast<Count>(size); }

template <class T>
T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

class CublasAlgebra final : public LinearAlgebra {
 public:
  explicit CublasAlgebra(CudaQueue queue) : queue_(std::move(queue)), blas_(find_cublas()) {
    queue_.enter();
    check(blas_.create(&handle_), "cublasCreate");
  }
  ~CublasAlgebra() override {
    if (queue_.context->is_usable()) blas_.destroy(handle_);
  }

  LibraryCall dot(const DotProduct& problem) override {
    return of_type(problem.type, [=, this](auto functions, auto tag) {
      using T = decltype(tag);
      check(blas_.set_pointer_mode(handle_, kScalarsOnDevice), "cublasSetPointerMode");
      check(functions.dot(handle_, count_of(problem.count), pointer<T>(problem.a), 1, pointer<T>(problem.b),
                          1, pointer<T>(problem.result)),
            "cublas<t>dot");
    });
  }

  LibraryCall multiply(const MatrixProduct& problem) override {
    return of_type(problem.type, [=, this](auto functions, auto tag) {
      using T = decltype(tag);
      const T one = 1, zero = 0;
      const Count rows = count_of(problem.rows), inner = count_of(problem.inner),
                  columns = count_of(problem.columns);
      const int b = problem.b_is_transposed ? kTransposed : kNotTransposed;
      check(blas_.set_pointer_mode(handle_, kScalarsOnHost), "cublasSetPointerMode");
      check(functions.multiply(handle_, b, kNotTransposed, columns, rows, inner, &one, pointer<T>(problem.b),
                               problem.b_is_transposed ? inner : columns, pointer<T>(problem.a), inner, &zero,
                               pointer<T>(problem.c), columns),
            "cublas<t>gemm");
    });
  }

  LibraryCall multiply(const MatrixVector& problem) override {
    return of_type(problem.type, [=, this](auto functions, auto tag) {
      using T = decltype(tag);
      const T factor = static_cast<T>(problem.factor), zero = 0;
      const Count rows = count_of(problem.rows), columns = count_of(problem.columns);
      check(blas_.set_pointer_mode(handle_, kScalarsOnHost), "cublasSetPointerMode");
      check(functions.multiply_vector(handle_, kTransposed, columns, rows, &factor, pointer<T>(problem.a),
                                      columns, pointer<T>(problem.x), 1, &zero, pointer<T>(problem.y), 1),
            "cublas<t>gemv");
    });
  }

 private:
  // `call(functions, T{})` enqueues the work on the library's stream.
  template <class Call>
  LibraryCall of_type(ScalarType type, Call call) {
    const Work work = [=, this](CUstream stream) {
      check(blas_.set_stream(handle_, stream), "cublasSetStream");
      if (type == ScalarType::kF64)
        call(blas_.of_double, double{});
      else
        call(blas_.of_float, float{});
    };
    return {[=, this] { return once(work); },
            [=, this](const TimingPlan& plan) { return timed(work, plan); }};
  }

  LaunchResult once(const Work& work) const {
    queue_.enter();
    work(queue_.stream);
    const CudaEvent done = make_event(queue_.context);
    queue_.context->driver().event_record(done.get(), queue_.stream);
    queue_.wait(done.get());
    return {};
  }

  std::optional<TimeSummary> timed(const Work& work, const TimingPlan& plan) const {
    queue_.enter();
    return queue_.time(work, Batching::kGraph, plan);
  }

  CudaQueue queue_;
  Cublas blas_;
  Handle handle_ = nullptr;
};

}  // namespace

CublasSearch find_cublas_library() {
  constexpr int kMajors[] = {13, 12};
  CublasSearch search;
  const auto refused = [&](const std::string& library, const std::string& why) {
    search.passed_over.push_back(msg::library_does_not_load(library, why));
  };
  const auto may_try = [&](const std::string& library) {
    Message crash = compile::crash_of_loading(library);
    const bool is_harmless = crash.empty();
    if (!is_harmless) search.passed_over.push_back(std::move(crash));
    return is_harmless;
  };
  search.library = compile::find_library({"cublas", kMajors}, {may_try, {}, refused});
  return search;
}

std::unique_ptr<LinearAlgebra> open_cublas(CudaQueue queue) {
  return std::make_unique<CublasAlgebra>(std::move(queue));
}

}  // namespace cudalab::device
