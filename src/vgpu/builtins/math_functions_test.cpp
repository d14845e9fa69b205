// Tests errors in units in the last place, relative to long double, against the limits in the CUDA C++
// Programming Guide.
#include "vgpu/builtins/math_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/diagnostics/message_testing.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// out = function(in), called as in clang's PTX.
template <class T>
T called(const std::string& function, T x) {
  const bool is_double = sizeof(T) == 8;
  const std::string type = is_double ? "f64" : "f32", reg = is_double ? "%fd1" : "%f1";
  const std::string bits = is_double ? "b64" : "b32";
  const std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param ." + bits + " r) " + function +
      "(.param ." + bits +
      " p);\n.visible .entry k(.param .u64 p0)\n{\n.reg .u64 %rd<3>;\n.reg .f32 %f<3>;\n.reg .f64 %fd<3>;\n"
      "ld.param.u64 %rd1, [p0];\nld.global." +
      type + " " + reg + ", [%rd1];\n{\n.param ." + bits + " param0;\nst.param." + type + " [param0+0], " +
      reg + ";\n.param ." + bits + " retval0;\ncall.uni (retval0), " + function + ", (param0);\nld.param." +
      type + " " + reg + ", [retval0+0];\n}\nst.global." + type + " [%rd1], " + reg + ";\nret;\n}\n";
  KernelHarness harness(ptx);
  const auto buffer = harness.buffer(std::vector<T>{x});
  harness.run({1, 1, 1}, {1, 1, 1}, buffer);
  return harness.template read<T>(buffer, 1)[0];
}

// The distance between a result and the exact value, in units in the last place of T.
template <class T>
double ulps(T result, long double exact) {
  const T rounded = static_cast<T>(exact);
  const long double unit =
      std::nextafter(std::abs(rounded), std::numeric_limits<T>::infinity()) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(result) - exact) / unit);
}

TEST(MathFunctions, KeepTheErrorsThatCudaDocuments) {
  for (const double x : {0.001, 0.3, 0.75, 1.5, 7.25, 40.0}) {
    const long double wide = x;
    EXPECT_LE(ulps(called("__nv_sin", x), std::sin(wide)), 2) << x;
    EXPECT_LE(ulps(called("__nv_exp", x), std::exp(wide)), 1) << x;
    EXPECT_LE(ulps(called("__nv_tgamma", x), std::tgamma(wide)), 10) << x;
    EXPECT_LE(ulps(called("__nv_rsqrt", x), 1 / std::sqrt(wide)), 1) << x;
    const float single = static_cast<float>(x);
    EXPECT_LE(ulps(called("__nv_sinf", single), std::sin(static_cast<long double>(single))), 2) << x;
    EXPECT_LE(ulps(called("__nv_logf", single), std::log(static_cast<long double>(single))), 1) << x;
  }
}

TEST(MathFunctions, InvertTheErrorFunction) {
  for (const double x : {1e-12, 0.1, 0.49, 0.9, 1.0}) {
    const double inverse = called("__nv_erfcinv", x);
    EXPECT_NEAR(std::erfc(static_cast<long double>(inverse)) / x, 1, 1e-13) << x;
  }
  EXPECT_NEAR(std::erf(called("__nv_erfinv", 0.25)), 0.25, 1e-15);
  EXPECT_NEAR(called("__nv_normcdfinv", 0.975), 1.959963984540054, 4e-15);
}

TEST(MathFunctions, AnswerAtTheEdges) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(called("__nv_sinpi", 2.0), 0);
  EXPECT_EQ(called("__nv_cospi", 0.5), 0);
  EXPECT_EQ(called("__nv_cospi", 1.0), -1);
  EXPECT_EQ(called("__nv_erfinv", 1.0), infinity);
  EXPECT_TRUE(std::isnan(called("__nv_erfinv", 1.5)));
  EXPECT_EQ(called("__nv_cyl_bessel_i0", 0.0), 1);
  EXPECT_NEAR(called("__nv_cyl_bessel_i1", 1.0), 0.5651591039924850, 1e-15);
  EXPECT_NEAR(called("__nv_erfcx", 60.0), 0.009401854275176, 1e-12);
  EXPECT_EQ(called("__nv_roundf", 2.5f), 3);
}

TEST(MathFunctions, ThatTheVirtualGpuLacksAreRefusedByName) {
  EXPECT_THAT(refused([] { called("__nv_no_such_function", 1.0); }),
              HasArgument("name", Code{"__nv_no_such_function"}));
}

}  // namespace
}  // namespace cudalab::vgpu
