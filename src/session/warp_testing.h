// For tests: kernels given as PTX, with launches to step through.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "session/walk.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::session {

// A kernel of mine.cu with a pointer to `out`, 64 words with value 5, and `tile`, 8 rows of 33 words in
// shared memory.
class SteppedKernel {
 public:
  SteppedKernel(const std::string& body, Dim3 grid, Dim3 block)
      : text_(vgpu::KernelHarness::kernel(body, 1, ".file 1 \"mine.cu\"\n.shared .align 4 .b8 tile[1056];")),
        harness_(text_) {
    const std::uint64_t buffer = harness_.buffer(std::vector<std::uint32_t>(64, 5), "out");
    request_.spec = {grid, block};
    request_.options.max_steps = 1'000'000;
    request_.parameters.resize(sizeof buffer);
    std::memcpy(request_.parameters.data(), &buffer, sizeof buffer);
  }
  SteppedKernel(const SteppedKernel&) = delete;
  SteppedKernel& operator=(const SteppedKernel&) = delete;

  vgpu::WarpTrace trace(const vgpu::TraceRequest& wanted) {
    return harness_.gpu().trace(harness_.module(), ptx::parse(text_, "mine.ptx"), request_, wanted);
  }
  WalkedLaunch launch() {
    return {"test", "mine.cu", request_.spec,
            [this](const vgpu::TraceRequest& wanted) { return trace(wanted); },
            [this] { return harness_.gpu().rehearse(harness_.module(), request_).hazards; }};
  }

 private:
  std::string text_;
  vgpu::KernelHarness harness_;
  vgpu::LaunchRequest request_{.options = {.predict = false}};
};

// Lines 1 to 5 of mine.cu, and the PTX that a compiler makes of them.
inline const std::string kSteppedSource =
    "__shared__ int tile[8][33];\n"
    "if (threadIdx.x < 8)\n"
    "  out[threadIdx.x] = 1;\n"
    "__syncthreads();\n"
    "tile[0][threadIdx.x] = out[threadIdx.x];\n";
inline const std::string kSteppedBody = vgpu::all_of_text(
    {".loc 1 2 0\n", "ld.param.u64 %rd1, [p0];\n", "mov.u32 %r1, %tid.x;\n", "mul.wide.u32 %rd2, %r1, 4;\n",
     "add.s64 %rd3, %rd1, %rd2;\n", "setp.ge.u32 %p1, %r1, 8;\n", "@%p1 bra DONE;\n", ".loc 1 3 0\n",
     "st.global.u32 [%rd3], 1;\n", "DONE:\n", ".loc 1 4 0\n", "bar.sync 0;\n", ".loc 1 5 0\n",
     "ld.global.u32 %r2, [%rd3];\n", "shl.b32 %r3, %r1, 2;\n", "mov.u32 %r4, tile;\n",
     "add.u32 %r5, %r4, %r3;\n", "st.shared.u32 [%r5+132], %r2;"});

}  // namespace cudalab::session
