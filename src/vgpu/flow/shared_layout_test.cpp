// Which kernels pay for which of a module's shared variables, and where these lie.
#include "vgpu/flow/shared_layout.h"

#include <gtest/gtest.h>

#include "ptx/parser.h"

namespace cudalab::vgpu {
namespace {

using Kernels = std::vector<int>;

struct Laid {
  ptx::Module module;
  SharedLayout layout;
  explicit Laid(const std::string& text) : module(ptx::parse(text, "test.ptx")) {
    std::vector<const ptx::Function*> functions;
    for (const ptx::Function& function : module.functions) functions.push_back(&function);
    layout = lay_out_shared(module, functions);
  }
};

std::string text_of(const std::string& body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".shared .align 4 .b8 left[100];\n.shared .align 16 .b8 right[200];\n.shared .align 8 .b8 "
         "both[40];\n" +
         body;
}

std::string naming(const std::string& variable) {
  return "{ .reg .b32 %r<3>; mov.u32 %r1, " + variable + "; ld.shared.u32 %r2, [both+4]; ret; }\n";
}

TEST(SharedLayout, AKernelHasRoomForWhatItNames) {
  const Laid laid(text_of(".entry one()" + naming("left") + ".entry two()" + naming("right") +
                          ".entry none() { ret; }\n"));
  const auto& places = laid.layout.variables;
  EXPECT_EQ(places[0].offset, 0u);
  EXPECT_EQ(places[1].offset, 0u);
  EXPECT_EQ(places[2].offset, 200u);  // behind both of them
  EXPECT_EQ(places[0].kernels, Kernels{0});
  EXPECT_EQ(places[1].kernels, Kernels{1});
  EXPECT_EQ(places[2].kernels, (Kernels{0, 1}));
  EXPECT_EQ(laid.layout.ends, (std::vector<std::uint64_t>{240, 240, 0}));
}

TEST(SharedLayout, WhatACalledFunctionNamesCountsToo) {
  const Laid laid(text_of(".func inner()" + naming("right") + ".func outer() { call inner; ret; }\n" +
                          ".entry calls() { call outer; ret; }\n.entry does_not()" + naming("left")));
  EXPECT_EQ(laid.layout.variables[1].kernels, Kernels{2});
  EXPECT_EQ(laid.layout.variables[0].kernels, Kernels{3});
  EXPECT_EQ(laid.layout.variables[2].kernels, (Kernels{2, 3}));
}

TEST(SharedLayout, ACallThroughARegisterMayGoToAnyFunction) {
  const Laid laid(
      text_of(".func inner()" + naming("right") +
              ".entry calls() { .reg .b64 %rd<2>; p: .callprototype _ (); call %rd1, p; ret; }\n" +
              ".entry other()" + naming("left")));
  EXPECT_EQ(laid.layout.variables[1].kernels, Kernels{1});
  EXPECT_EQ(laid.layout.variables[0].kernels, Kernels{2});
}

}  // namespace
}  // namespace cudalab::vgpu
