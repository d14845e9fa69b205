// Error checks and timers under the names that textbooks and courses give them. cudalab includes this file where a program asks for
// a header such as common.h that its folder does not have.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// Ends the program with the name, the place and the reason of a call that failed.
inline void course_check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(error), cudaGetErrorName(error));
  std::exit(EXIT_FAILURE);
}

// The statuses of other APIs (cuBLAS, cuFFT, the driver API): 0 is success in all of them.
template <class Status>
void course_check(Status status, const char* call, const char* file, int line) {
  if (status == Status()) return;
  std::fprintf(stderr, "%s:%d: %s: status %d\n", file, line, call, static_cast<int>(status));
  std::exit(EXIT_FAILURE);
}

#define COURSE_CHECK(call) course_check((call), #call, __FILE__, __LINE__)
#ifndef CHECK
#define CHECK(call) COURSE_CHECK(call)
#endif
#ifndef CUDA_CHECK
#define CUDA_CHECK(call) COURSE_CHECK(call)
#endif
#ifndef CHECK_CUDA
#define CHECK_CUDA(call) COURSE_CHECK(call)
#endif
#ifndef CUDACHECK
#define CUDACHECK(call) COURSE_CHECK(call)
#endif
#ifndef CUDA_CALL
#define CUDA_CALL(call) COURSE_CHECK(call)
#endif
#ifndef CUDA_SAFE_CALL
#define CUDA_SAFE_CALL(call) COURSE_CHECK(call)
#endif
#ifndef CHECK_CUDA_ERROR
#define CHECK_CUDA_ERROR(call) COURSE_CHECK(call)
#endif
#ifndef checkCudaErrors
#define checkCudaErrors(call) COURSE_CHECK(call)
#endif
#ifndef checkCuda
#define checkCuda(call) COURSE_CHECK(call)
#endif
#ifndef gpuErrchk
#define gpuErrchk(call) COURSE_CHECK(call)
#endif
#ifndef HANDLE_ERROR
#define HANDLE_ERROR(call) COURSE_CHECK(call)
#endif
#ifndef HANDLE_NULL
#define HANDLE_NULL(pointer)                                                              \
  do {                                                                                    \
    if ((pointer) == nullptr) {                                                           \
      std::fprintf(stderr, "%s:%d: the host has no memory left\n", __FILE__, __LINE__);   \
      std::exit(EXIT_FAILURE);                                                            \
    }                                                                                     \
  } while (false)
#endif
#ifndef getLastCudaError
#define getLastCudaError(what) course_check(cudaGetLastError(), what, __FILE__, __LINE__)
#endif

// Time on the host, in milliseconds. Work of the GPU counts only if the program waits for it before stop().
class Timer {
 public:
  Timer() { start(); }
  void start() { begin_ = Clock::now(), stopped_ = false; }
  void stop() { end_ = Clock::now(), stopped_ = true; }
  void reset() { start(); }
  double elapsed() const { return std::chrono::duration<double, std::milli>((stopped_ ? end_ : Clock::now()) - begin_).count(); }
  double elapsed_ms() const { return elapsed(); }
  double elapsedMilliseconds() const { return elapsed(); }
  double seconds() const { return elapsed() / 1000; }
  void Start() { start(); }
  void Stop() { stop(); }
  double Elapsed() const { return elapsed(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_, end_;
  bool stopped_ = false;
};
using CpuTimer = Timer;

// Time on the GPU by two events of the default stream, in milliseconds.
class GpuTimer {
 public:
  GpuTimer() {
    COURSE_CHECK(cudaEventCreate(&begin_));
    COURSE_CHECK(cudaEventCreate(&end_));
  }
  ~GpuTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;
  void start() { COURSE_CHECK(cudaEventRecord(begin_)); }
  void stop() { COURSE_CHECK(cudaEventRecord(end_)); }
  float elapsed() {
    float milliseconds = 0;
    COURSE_CHECK(cudaEventSynchronize(end_));
    COURSE_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds;
  }
  void Start() { start(); }
  void Stop() { stop(); }
  float Elapsed() { return elapsed(); }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

// Seconds since an arbitrary moment.
inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
inline double cpuSecond() { return seconds(); }

// ---- what programs take from helper_cuda.h, helper_timer.h and helper_string.h -----------------------------------------------------

// "-name" or "--name", with or without "=value".
inline const char* course_option(int count, const char** words, const char* name) {
  const std::size_t length = std::strlen(name);
  for (int i = 1; i < count; ++i) {
    const char* word = words[i];
    while (*word == '-') ++word;
    if (word == words[i] || std::strncmp(word, name, length) != 0) continue;
    if (word[length] == '\0') return word + length;
    if (word[length] == '=') return word + length + 1;
  }
  return nullptr;
}
inline bool checkCmdLineFlag(int count, const char** words, const char* name) { return course_option(count, words, name) != nullptr; }
inline int getCmdLineArgumentInt(int count, const char** words, const char* name) {
  const char* value = course_option(count, words, name);
  return value ? std::atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int count, const char** words, const char* name) {
  const char* value = course_option(count, words, name);
  return value ? static_cast<float>(std::atof(value)) : 0.0f;
}

inline int findCudaDevice(int count, const char** words) {
  const int device = getCmdLineArgumentInt(count, words, "device");
  COURSE_CHECK(cudaSetDevice(device));
  return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }

struct StopWatchInterface {
  Timer timer;
  double sum = 0;
  int stops = 0;
  bool runs = false;
};
inline bool sdkCreateTimer(StopWatchInterface** watch) { return *watch = new StopWatchInterface, true; }
inline bool sdkDeleteTimer(StopWatchInterface** watch) { return delete *watch, *watch = nullptr, true; }
inline bool sdkStartTimer(StopWatchInterface** watch) { return (*watch)->timer.start(), (*watch)->runs = true; }
inline bool sdkStopTimer(StopWatchInterface** watch) {
  (*watch)->sum += (*watch)->runs ? (*watch)->timer.elapsed() : 0;
  (*watch)->stops += (*watch)->runs;
  (*watch)->runs = false;
  return true;
}
inline bool sdkResetTimer(StopWatchInterface** watch) {
  return (*watch)->sum = (*watch)->stops = 0, (*watch)->timer.start(), true;
}
inline float sdkGetTimerValue(StopWatchInterface** watch) {
  return static_cast<float>((*watch)->sum + ((*watch)->runs ? (*watch)->timer.elapsed() : 0));
}
// The mean time from a start to the stop behind it.
inline float sdkGetAverageTimerValue(StopWatchInterface** watch) {
  return (*watch)->stops > 0 ? static_cast<float>((*watch)->sum) / static_cast<float>((*watch)->stops) : 0;
}

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
