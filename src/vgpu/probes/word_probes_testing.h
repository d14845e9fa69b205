// Probes of instructions on words: video instructions, vector atomics, logic with a predicate, 128-bit
// operations.
#pragma once

#include <array>
#include <random>

#include "vgpu/probes/probe_testing.h"

namespace cudalab::vgpu::probes {

// ---- three words in, one out -------------------------------------------------------------------------
// Lane i has words 3 i to 3 i + 2 of `in` in %r1 to %r3, and stores %r4.
inline Probe probe_of_three(const std::string& name, const std::string& body) {
  Probe probe{.name = name, .ptx = {}, .inputs = {}, .results = 32};
  probe.ptx = module_of(
      "mad.wide.u32 %rd3, %r0, 12, %rd1;\nld.global.u32 %r1, [%rd3];\nld.global.u32 %r2, [%rd3+4];\n"
      "ld.global.u32 %r3, [%rd3+8];\nmov.u32 %r4, 0x5a5a5a5a;\n" +
      body + "mad.wide.u32 %rd4, %r0, 4, %rd2;\nst.global.u32 [%rd4], %r4;\n");
  static constexpr std::uint32_t kLimits[] = {0,          1,          0x7fffffff, 0x80000000,
                                              0xffffffff, 0x7f80ff01, 0x00010020};
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < 96; ++i)
    probe.inputs.push_back(random() % 3 ? static_cast<std::uint32_t>(random())
                                        : kLimits[random() % std::size(kLimits)]);
  return probe;
}

// Names, types of d, a and b, and suffixes. Omitted are forms for which an H200 deviates from the PTX ISA's
// pseudocode (docs/virtual-gpu.md).
struct VideoForms {
  std::vector<const char*> names, types, ends;
};
inline const VideoForms kVideoForms[] = {
    {{"vadd", "vsub", "vabsdiff", "vmin", "vmax"},
     {"u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "u32.s32.u32"},
     {" %r4, %r1, %r2", " %r4, %r1.b3, %r2.h1"}},
    {{"vadd", "vsub", "vabsdiff", "vmin", "vmax"},
     {"s32.s32.s32", "s32.u32.s32"},
     {".sat %r4, %r1, %r2", ".sat.add %r4, %r1, %r2, %r3", ".max %r4, %r1.h0, %r2.b1, %r3"}},
    {{"vadd4", "vsub4", "vabsdiff4", "vmin4", "vmax4", "vavrg4"},
     {"u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "u32.s32.u32"},
     {" %r4, %r1, %r2, %r3", ".sat %r4.b310, %r1, %r2.b1234, %r3", ".add %r4, %r1, %r2, %r3"}},
    {{"vadd2", "vsub2", "vabsdiff2", "vmin2", "vmax2", "vavrg2"},
     {"u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "u32.s32.u32"},
     {" %r4, %r1, %r2, %r3", ".sat %r4.h1, %r1.h03, %r2, %r3", ".add %r4, %r1, %r2, %r3"}},
    {{"vmad"},
     {"u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "u32.s32.u32"},
     {" %r4, %r1, %r2, %r3", ".po %r4, %r1.b1, %r2.h0, %r3"}},
    {{"vshl", "vshr"},
     {"u32.u32.u32", "s32.s32.u32"},
     {".clamp %r4, %r1, %r2.b0", ".wrap %r4, %r1, %r2", ".wrap.add %r4, %r1.h1, %r2, %r3",
      ".clamp %r4.b3, %r1, %r2, %r3"}},
    {{"vset"},
     {"u32.u32", "s32.s32", "s32.u32"},
     {".eq %r4, %r1.b0, %r2.b0", ".ne %r4, %r1.b0, %r2.b0", ".lt %r4, %r1.b0, %r2.b0",
      ".le %r4, %r1.b0, %r2.b0", ".gt %r4, %r1.b0, %r2.b0", ".ge %r4, %r1.b0, %r2.b0",
      ".lt.add %r4, %r1, %r2, %r3", ".ge.add %r4, %r1, %r2, %r3"}},
    {{"vset2"},
     {"u32.u32", "s32.s32", "s32.u32"},
     {".eq %r4, %r1, %r2, %r3", ".ne %r4, %r1, %r2, %r3", ".lt %r4, %r1, %r2, %r3",
      ".le %r4, %r1, %r2, %r3"}},
    {{"vset4"},
     {"u32.u32", "s32.s32", "s32.u32"},
     {".eq.add %r4, %r1, %r2, %r3", ".lt.add %r4, %r1, %r2, %r3", ".gt.add %r4, %r1, %r2, %r3",
      ".ge.add %r4, %r1, %r2, %r3"}},
};

inline std::vector<Probe> video_probes() {
  std::vector<Probe> probes;
  for (const VideoForms& forms : kVideoForms)
    for (const char* types : forms.types)
      for (const char* name : forms.names)
        for (const char* end : forms.ends) {
          const std::string instruction = fmt::format("{}.{}{}", name, types, end);
          probes.push_back(probe_of_three(instruction, instruction + ";\n"));
        }
  return probes;
}

inline std::vector<Probe> logic_probes() {
  std::vector<Probe> probes;
  for (const char* operation : {"or", "and"})
    for (const char* table : {"0x00", "0x80", "0x96", "0xfe"})
      probes.push_back(probe_of_three(
          fmt::format("lop3.{}.b32 {}", operation, table),
          fmt::format("setp.gt.s32 %p1, %r3, 0;\nlop3.{0}.b32 %r5|%p2, %r1, %r2, %r3, {1}, %p1;\n"
                      "lop3.{0}.b32 _|%p3, %r1, %r2, %r3, {1}, !%p1;\nselp.u32 %r6, 1, 0, %p2;\n"
                      "selp.u32 %r7, 2, 0, %p3;\nadd.u32 %r4, %r5, %r6;\nadd.u32 %r4, %r4, %r7;\n",
                      operation, table)));
  return probes;
}

// ---- vectors -----------------------------------------------------------------------------------------
// Lane i updates four words of `out`, which hold words 4 i to 4 i + 3 of the second half of `in`, with the
// same words of the first half.
inline Probe vector_atomic_probe(const std::string& operation, int words, bool wanted) {
  const std::string list = words == 2 ? "{%r10, %r11}" : "{%r10, %r11, %r12, %r13}",
                    old = words == 2 ? "{%r20, %r21}" : "{%r20, %r21, %r22, %r23}";
  const std::string update =
      wanted ? fmt::format(
                   "atom.global.{}.{} {}, [%rd4], {};\nst.global.v4.u32 [%rd4+512], {{%r20, %r21, %r22, "
                   "%r23}};\n",
                   operation.substr(0, operation.find(' ')), operation.substr(operation.find(' ') + 1), old,
                   list)
             : fmt::format("red.global.{}.{} [%rd4], {};\n", operation.substr(0, operation.find(' ')),
                           operation.substr(operation.find(' ') + 1), list);
  Probe probe{.name = fmt::format("{} {}", wanted ? "atom" : "red", operation),
              .ptx = {},
              .inputs = {},
              .results = wanted ? 256u : 128u};
  probe.ptx = module_of(
      "mad.wide.u32 %rd3, %r0, 16, %rd1;\nmad.wide.u32 %rd4, %r0, 16, %rd2;\n"
      "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd3];\nld.global.v4.u32 {%r14, %r15, %r16, %r17}, "
      "[%rd3+512];\n"
      "st.global.v4.u32 [%rd4], {%r14, %r15, %r16, %r17};\nmov.u32 %r20, 0;\nmov.u32 %r21, 0;\nmov.u32 %r22, "
      "0;\n"
      "mov.u32 %r23, 0;\nmembar.gl;\n" +
      update);
  const bool halves = operation.find("x2") != std::string::npos;
  static constexpr std::uint32_t kFloats[] = {0x3f800000, 0xbfc00000, 0x00000001, 0x80000003,
                                              0x7f7fffff, 0x7f800000, 0x7fc00000, 0x40490fdb,
                                              0x00000000, 0x80000000, 0x00800000, 0xff800000};
  std::mt19937 random(6);
  for (int i = 0; i < 256; ++i)
    probe.inputs.push_back(halves ? static_cast<std::uint32_t>(random()) & 0xbfffbfff
                                  : kFloats[random() % std::size(kFloats)]);
  return probe;
}

inline std::vector<Probe> vector_atomic_probes() {
  std::vector<Probe> probes;
  std::vector<std::pair<std::string, int>> operations = {{"add v2.f32", 2}, {"add v4.f32", 4}};
  for (const char* operation : {"add", "min", "max"})
    for (const char* type : {"f16x2", "bf16x2"})
      for (const int words : {2, 4})
        operations.emplace_back(fmt::format("{} noftz.v{}.{}", operation, words, type), words);
  for (const auto& [operation, words] : operations)
    for (const bool wanted : {false, true}) probes.push_back(vector_atomic_probe(operation, words, wanted));
  return probes;
}

inline std::vector<Probe> wide_move_probes() {
  Probe probe{.name = "ld.b128, st.b128", .ptx = {}, .inputs = {}, .results = 128};
  probe.ptx = module_of(
      ".reg .b128 %rq<3>;\n.shared .align 16 .b8 tile[512];\nmov.u32 %r1, tile;\nmad.lo.u32 %r2, %r0, 16, "
      "%r1;\n"
      "mad.wide.u32 %rd3, %r0, 16, %rd1;\nmad.wide.u32 %rd4, %r0, 16, %rd2;\nld.global.b128 %rq1, [%rd3];\n"
      "st.shared.b128 [%r2], %rq1;\nbar.warp.sync -1;\nxor.b32 %r3, %r2, 16;\nld.shared.b128 %rq2, [%r3];\n"
      "st.global.b128 [%rd4], %rq2;\n");
  std::mt19937 random(8);
  for (int i = 0; i < 128; ++i) probe.inputs.push_back(static_cast<std::uint32_t>(random()));
  return {probe};
}

}  // namespace cudalab::vgpu::probes
