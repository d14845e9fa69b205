// Kernels that try the instructions which are no row of the opcode table: matrices, mbarriers, bulk copies,
// clusters. What an NVIDIA H200 computed for them is in expected/h200/instructions.txt
// (tests/conformance/README.md); a test replays it.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "core/half.h"
#include "vgpu/matrices/elements.h"

namespace cudalab::vgpu::probes {

// `.entry probe(.param .u64 in, .param .u64 out)`, launched with `blocks` blocks of `threads` threads.
struct Probe {
  std::string name;
  std::string ptx;
  std::vector<std::uint32_t> inputs;
  std::size_t results = 0;  // words
  unsigned blocks = 1, threads = 32;
  // Sums of floats whose rounding is the card's own: by how much of the sum of the products' sizes they may
  // differ; 0: bit for bit.
  double tolerance = 0;
  Element result{};  // where there is a tolerance
};

inline std::string module_of(const std::string& body, const std::string& directives = "",
                             const std::string& before = "") {
  return fmt::format(
      ".version 8.4\n.target sm_90\n.address_size 64\n{}.visible .entry probe(.param .u64 in, .param .u64 "
      "out)\n{}{{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<150>;\n.reg .b64 %rd<20>;\n.reg .f64 "
      "%fd<60>;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nmov.u32 %r0, %tid.x;\n{}ret;\n}}\n",
      before, directives, body);
}

// ---- matrices ----------------------------------------------------------------------------------------
enum class Values { kExact, kRandom };

inline std::uint64_t random_element(std::mt19937& random, Element element, Values values) {
  const std::uint64_t bits = std::uint64_t{random()} << 32 | random();
  if (info(element).is_integer)
    return bits & (element == Element::kS32 ? 0xffff'ffff : (1ull << info(element).bits) - 1);
  const int small = static_cast<int>(bits % 9) - 4;
  const double number = values == Values::kExact ? small : static_cast<double>(bits % 65536) / 16384.0 - 2.0;
  switch (element) {
    case Element::kF16: return half_bits(number, kF16Format);
    case Element::kBF16: return half_bits(number, kBF16Format);
    case Element::kF64: return std::bit_cast<std::uint64_t>(values == Values::kExact ? number : number * 1.1);
    case Element::kE4M3: {
      static constexpr std::uint8_t kSmall[] = {0x48, 0x44, 0x40, 0x38, 0x00, 0xb8, 0xc0, 0xc4, 0xc8};
      return values == Values::kExact ? kSmall[bits % 9] : bits >> 32 & 0xbf;
    }
    case Element::kE5M2: {
      static constexpr std::uint8_t kSmall[] = {0x44, 0x42, 0x40, 0x3c, 0x00, 0xbc, 0xc0, 0xc2, 0xc4};
      return values == Values::kExact ? kSmall[bits % 9] : bits >> 32 & 0xbf;
    }
    default: return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  }
}

inline void add_words(std::vector<std::uint32_t>& words, std::mt19937& random, Element element, int elements,
                      Values values) {
  const int bits = info(element).bits, in_word = 32 / std::min(bits, 32);
  for (int i = 0; i < elements; ++i) {
    const std::uint64_t value = random_element(random, element, values);
    if (i % in_word == 0) words.push_back(0);
    words.back() |= static_cast<std::uint32_t>(value) << (i % in_word * bits);
    if (bits == 64) words.push_back(static_cast<std::uint32_t>(value >> 32));
  }
}

struct MatrixForm {
  std::string opcode_end;  // behind the shape
  int m, n, k;
  Element a, b, c, d;
};

inline int fragment_registers(int elements, Element element) {
  return elements / (32 * (register_bits(element) / info(element).bits));
}

// The registers of a fragment, loaded from `in` or stored to `out` from word `at` on, lane by lane.
inline std::string fragment(std::string& code, Element element, int registers, int& next, int& at,
                            bool stores) {
  const bool wide = register_bits(element) == 64;
  std::string list = "{";
  for (int r = 0; r < registers; ++r) {
    const std::string name = fmt::format("{}{}", wide ? "%fd" : "%r", next++);
    list += (r ? ", " : "") + name;
    code += fmt::format("mad.wide.u32 %rd9, %r0, {}, {};\n", wide ? 8 : 4, stores ? "%rd2" : "%rd1");
    const char* type = wide ? "f64" : "u32";
    code += stores ? fmt::format("st.global.{} [%rd9+{}], {};\n", type, at * 4, name)
                   : fmt::format("ld.global.{} {}, [%rd9+{}];\n", type, name, at * 4);
    at += wide ? 64 : 32;
  }
  return list + "}";
}

inline Probe mma_probe(const MatrixForm& form, Values values) {
  Probe probe;
  const bool is_float = !info(form.a).is_integer;
  const std::string opcode =
      fmt::format("mma.sync.aligned.m{}n{}k{}.row.col{}", form.m, form.n, form.k, form.opcode_end);
  probe.name = opcode + (values == Values::kRandom && is_float ? " random" : "");
  std::mt19937 random(static_cast<unsigned>(form.k * 7 + form.m));
  std::string code, results;
  int next = 1, at = 0, out = 0;
  std::string operands;
  const std::pair<Element, int> inputs[] = {
      {form.a, form.m * form.k}, {form.b, form.k * form.n}, {form.c, form.m * form.n}};
  for (const auto& [element, elements] : inputs) {
    add_words(probe.inputs, random, element, elements, values);
    operands += ", " + fragment(code, element, fragment_registers(elements, element), next, at, false);
  }
  const std::string d =
      fragment(results, form.d, fragment_registers(form.m * form.n, form.d), next, out, true);
  probe.results = static_cast<std::size_t>(out);
  probe.ptx = module_of(code + opcode + " " + d + operands + ";\n" + results);
  if (values == Values::kRandom && is_float && form.a != Element::kF64) probe.tolerance = 1;
  probe.result = form.d;
  return probe;
}

inline Probe wmma_probe(const MatrixForm& form, Values values, bool a_by_columns, bool b_by_columns,
                        const std::string& operation = "") {
  Probe probe;
  const auto layout = [](bool by_columns) { return by_columns ? "col" : "row"; };
  const std::string shape = fmt::format("m{}n{}k{}", form.m, form.n, form.k);
  const std::string opcode = fmt::format("wmma.mma{}.sync.aligned.{}.{}.{}{}", operation,
                                         layout(a_by_columns), layout(b_by_columns), shape, form.opcode_end);
  const bool is_float = !info(form.a).is_integer;
  probe.name = opcode + (values == Values::kRandom && is_float ? " random" : "");
  std::mt19937 random(static_cast<unsigned>(form.k * 7 + form.m));
  std::string code, operands;
  int next = 1, at = 0;
  struct Part {
    const char* which;
    Element element;
    int rows, columns;
    bool by_columns;
  };
  const Part parts[] = {{"a", form.a, form.m, form.k, a_by_columns},
                        {"b", form.b, form.k, form.n, b_by_columns},
                        {"c", form.c, form.m, form.n, false}};
  const auto list_of = [&](Element element, int elements, bool is_factor) {
    const int registers = is_factor && element == Element::kF16 ? 8 : fragment_registers(elements, element);
    std::string list = "{";
    for (int r = 0; r < registers; ++r)
      list += fmt::format("{}{}{}", r ? ", " : "", element == Element::kF64 ? "%fd" : "%r", next++);
    return list + "}";
  };
  for (const Part& part : parts) {
    add_words(probe.inputs, random, part.element, part.rows * part.columns, values);
    const std::string list = list_of(part.element, part.rows * part.columns, part.which[0] != 'c');
    code += fmt::format("wmma.load.{}.sync.aligned.{}.{}.global.{} {}, [%rd1+{}], {};\n", part.which,
                        layout(part.by_columns), shape, info(part.element).name, list, at,
                        part.by_columns ? part.rows : part.columns);
    operands += ", " + list;
    at = static_cast<int>(probe.inputs.size()) * 4;
  }
  const std::string d = list_of(form.d, form.m * form.n, false);
  code += opcode + " " + d + operands + ";\n";
  code += fmt::format("wmma.store.d.sync.aligned.row.{}.global.{} [%rd2], {}, {};\n", shape,
                      info(form.d).name, d, form.n);
  probe.results = static_cast<std::size_t>(form.m * form.n * info(form.d).bits / 32);
  probe.ptx = module_of(code);
  if (values == Values::kRandom && is_float && form.a != Element::kF64) probe.tolerance = 1;
  probe.result = form.d;
  return probe;
}

inline std::vector<MatrixForm> mma_forms() {
  using enum Element;
  std::vector<MatrixForm> forms;
  const auto add = [&](int m, int k, Element a, Element b, Element sum, const std::string& modifier = "",
                       const std::string& end = "") {
    forms.push_back({fmt::format("{}.{}.{}.{}.{}{}", modifier, info(sum).name, info(a).name, info(b).name,
                                 info(sum).name, end),
                     m, 8, k, a, b, sum, sum});
  };
  for (const int k : {8, 16})
    add(16, k, kF16, kF16, kF16), add(16, k, kF16, kF16, kF32), add(16, k, kBF16, kBF16, kF32);
  for (const int k : {4, 8}) add(16, k, kTF32, kTF32, kF32);
  for (const Element a : {kE4M3, kE5M2})
    for (const Element b : {kE4M3, kE5M2}) add(16, 32, a, b, kF32);
  add(8, 4, kF64, kF64, kF64);
  for (const int k : {4, 8, 16}) add(16, k, kF64, kF64, kF64);
  const auto integers = [&](int m, int k, Element with_sign, Element without) {
    for (const Element a : {with_sign, without})
      for (const Element b : {with_sign, without}) add(m, k, a, b, kS32), add(m, k, a, b, kS32, ".satfinite");
  };
  integers(8, 16, kS8, kU8), integers(16, 16, kS8, kU8), integers(16, 32, kS8, kU8);
  integers(8, 32, kS4, kU4), integers(16, 32, kS4, kU4), integers(16, 64, kS4, kU4);
  for (const char* operation : {".xor.popc", ".and.popc"}) {
    add(8, 128, kB1, kB1, kS32, "", operation);
    add(16, 128, kB1, kB1, kS32, "", operation);
    add(16, 256, kB1, kB1, kS32, "", operation);
  }
  return forms;
}

inline std::vector<MatrixForm> wmma_forms() {
  using enum Element;
  std::vector<MatrixForm> forms;
  const auto add = [&](int m, int n, int k, Element factor, Element sum, const std::string& end = "") {
    const std::string types = factor == kF16 ? fmt::format(".{}.{}", info(sum).name, info(sum).name)
                                             : fmt::format(".{}.{}.{}.{}", info(sum).name, info(factor).name,
                                                           info(factor).name, info(sum).name);
    forms.push_back({types + end, m, n, k, factor, factor, sum, sum});
  };
  const int shapes[3][2] = {{16, 16}, {32, 8}, {8, 32}};
  for (const auto& [m, n] : shapes) {
    add(m, n, 16, kF16, kF16), add(m, n, 16, kF16, kF32), add(m, n, 16, kBF16, kF32);
    add(m, n, 16, kS8, kS32), add(m, n, 16, kU8, kS32), add(m, n, 16, kS8, kS32, ".satfinite");
  }
  add(16, 16, 8, kTF32, kF32), add(8, 8, 4, kF64, kF64);
  return forms;
}

// ---- the moving of matrices --------------------------------------------------------------------------
inline std::vector<Probe> matrix_move_probes() {
  std::vector<Probe> probes;
  const std::string prologue =
      ".shared .align 16 .b8 tile[512];\nmov.u32 %r1, tile;\nmad.lo.u32 %r2, %r0, 16, %r1;\nmad.wide.u32 "
      "%rd9, "
      "%r0, 16, %rd1;\nld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd9];\nmad.wide.u32 %rd10, %r0, 16, "
      "%rd2;\n";
  const std::string fill = "st.shared.v4.u32 [%r2], {%r10, %r11, %r12, %r13};\nbar.warp.sync -1;\n";
  const std::string out = "st.global.v4.u32 [%rd10], {%r20, %r21, %r22, %r23};\n";
  const auto add = [&](const std::string& name, const std::string& body) {
    Probe probe{.name = name, .ptx = module_of(prologue + body), .inputs = {}, .results = 128};
    std::mt19937 random(5);
    for (int i = 0; i < 128; ++i) probe.inputs.push_back(random());
    probes.push_back(std::move(probe));
  };
  for (const std::string trans : {"", ".trans"}) {
    for (const auto& [count, list] :
         {std::pair{"x1", "{%r20}"}, {"x2", "{%r20, %r21}"}, {"x4", "{%r20, %r21, %r22, %r23}"}})
      add(fmt::format("ldmatrix.sync.aligned.m8n8.{}{}.shared.b16", count, trans),
          fill + "mov.u32 %r20, 0;\nmov.u32 %r21, 0;\nmov.u32 %r22, 0;\nmov.u32 %r23, 0;\n" +
              fmt::format("ldmatrix.sync.aligned.m8n8.{}{}.shared.b16 {}, [%r2];\n", count, trans, list) +
              out);
    for (const auto& [count, list] :
         {std::pair{"x1", "{%r10}"}, {"x2", "{%r10, %r11}"}, {"x4", "{%r10, %r11, %r12, %r13}"}})
      add(fmt::format("stmatrix.sync.aligned.m8n8.{}{}.shared.b16", count, trans),
          "st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};\nbar.warp.sync -1;\n" +
              fmt::format("stmatrix.sync.aligned.m8n8.{}{}.shared.b16 [%r2], {};\n", count, trans, list) +
              "bar.warp.sync -1;\nld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r2];\n" + out);
  }
  add("movmatrix.sync.aligned.m8n8.trans.b16",
      "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r10;\nmov.u32 %r21, 0;\nmov.u32 %r22, 0;\nmov.u32 %r23, "
      "0;\n" +
          out);
  return probes;
}

// ---- mbarriers, bulk copies, clusters ----------------------------------------------------------------
// Thread i of block b has word 64 b + i of `in` in %r10 and the address of its word of `out` in %rd10; `tile`
// holds the block's words.
constexpr const char* kAsyncPrologue =
    ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;\nmov.u32 %r1, tile;\nmov.u32 %r2, bar;\n"
    "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 64, %r0;\nmad.wide.u32 %rd9, %r4, 4, %rd1;\nmad.wide.u32 "
    "%rd10, %r4, 4, %rd2;\nld.global.u32 %r10, [%rd9];\nmad.lo.u32 %r5, %r0, 4, %r1;\nst.shared.u32 [%r5], "
    "%r10;\n"
    "setp.eq.u32 %p1, %r0, 0;\nmad.wide.u32 %rd11, %r3, 256, %rd1;\nmad.wide.u32 %rd12, %r3, 256, %rd2;\n"
    "mov.u32 %r6, %cluster_ctarank;\nxor.b32 %r7, %r6, 1;\nmapa.shared::cluster.u32 %r8, %r1, %r7;\n"
    "mapa.shared::cluster.u32 %r9, %r2, %r7;\nmad.lo.u32 %r11, %r0, 4, %r8;\n";
constexpr const char* kInitOne = "@%p1 mbarrier.init.shared.b64 [%r2], 1;\n";
constexpr const char* kClusterSync =
    "fence.proxy.async;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
constexpr const char* kAwait =
    "AWAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra AWAIT;\n";
constexpr const char* kOutTile = "ld.shared.u32 %r20, [%r5];\nst.global.u32 [%rd10], %r20;\n";

inline std::vector<Probe> async_probes() {
  std::vector<Probe> probes;
  const std::string init = kInitOne, sync = kClusterSync, await = kAwait, out = kOutTile;
  const std::string expect = "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r2], ";
  const auto add = [&](const std::string& name, const std::string& body, bool floats = false) {
    Probe probe{.name = name,
                .ptx = module_of(kAsyncPrologue + body, ".explicitcluster\n.reqnctapercluster 2, 1, 1\n"),
                .inputs = {},
                .results = 256,
                .blocks = 4,
                .threads = 64};
    std::mt19937 random(9);
    for (int i = 0; i < 256; ++i)
      probe.inputs.push_back(floats ? 0x3c00'4000u + 0x10u * static_cast<unsigned>(i) : random());
    probes.push_back(std::move(probe));
  };
  add("cp.async.bulk.shared::cluster.global",
      init + expect + "256;\n" + sync +
          "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 256, "
          "[%r2];\n" +
          await + out);
  add("cp.async.bulk.shared::cluster.shared::cta",
      init + expect + "128;\n" + sync +
          "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8], [%r1+128], "
          "128, "
          "[%r9];\n" +
          await + sync + out);
  add("cp.async.bulk.global.shared::cta",
      sync +
          "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd12], [%r1], 256;\n@%p1 "
          "cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n");
  for (const char* operation :
       {"add.u32", "add.s32",       "add.u64", "min.u32", "max.u32",        "min.s32",  "max.s32", "and.b32",
        "or.b32",  "xor.b32",       "inc.u32", "dec.u32", "min.u64",        "max.s64",  "and.b64", "add.f32",
        "add.f64", "add.noftz.f16", "min.f16", "max.f16", "add.noftz.bf16", "min.bf16", "max.bf16"}) {
    const bool floats = std::string(operation).find(".f") != std::string::npos ||
                        std::string(operation).find(".bf") != std::string::npos;
    add(fmt::format("cp.reduce.async.bulk.global.shared::cta.{}", operation),
        "xor.b32 %r12, %r4, 77;\nmad.wide.u32 %rd13, %r12, 4, %rd1;\nld.global.u32 %r13, "
        "[%rd13];\nst.global.u32 [%rd10], "
        "%r13;\nfence.proxy.async;\n" +
            sync +
            fmt::format(
                "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.{} [%rd12], [%r1], 256;\n@%p1 "
                "cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n",
                operation),
        floats);
  }
  for (const char* operation : {"add.u32", "add.s32", "add.u64", "min.u32", "max.s32", "and.b32", "or.b32",
                                "xor.b32", "inc.u32", "dec.u32"})
    add(fmt::format("cp.reduce.async.bulk.shared::cluster.shared::cta.{}", operation),
        init + expect + "128;\n" + sync +
            fmt::format(
                "@%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{} "
                "[%r8], "
                "[%r1+128], 128, [%r9];\n",
                operation) +
            await + sync + out);
  add("st.async",
      init + expect + "512;\n" + sync +
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11], %r10, [%r9];\n"
          "setp.lt.u32 %p3, %r0, 16;\nmad.lo.u32 %r12, %r0, 16, %r8;\n"
          "@%p3 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r12+256], {%r10, %r0, %r3, "
          "%r10}, "
          "[%r9];\n" +
          await + sync +
          "ld.shared.u32 %r20, [%r5];\nld.shared.u32 %r21, [%r5+256];\nadd.u32 %r20, %r20, %r21;\n"
          "st.global.u32 [%rd10], %r20;\n");
  for (const char* operation : {"add.u32", "min.s32", "max.u32", "and.b32", "xor.b32", "inc.u32", "dec.u32"})
    add(fmt::format("red.async.{}", operation),
        init + expect + "256;\n" + sync +
            fmt::format("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{} [%r11], "
                        "%r0, [%r9];\n",
                        operation) +
            await + sync + out);
  add("distributed shared memory",
      sync +
          "ld.shared::cluster.u32 %r20, [%r11];\natom.shared::cluster.add.u32 %r21, [%r11], 3;\ncvt.u64.u32 "
          "%rd5, "
          "%r11;\ncvta.shared::cluster.u64 %rd5, %rd5;\nld.u32 %r22, [%rd5];\nred.add.u32 [%rd5], 5;\n" +
          sync +
          "ld.shared.u32 %r23, [%r5];\nxor.b32 %r20, %r20, %r21;\nadd.u32 %r20, %r20, %r22;\nadd.u32 %r20, "
          "%r20, "
          "%r23;\nst.global.u32 [%rd10], %r20;\n");
  add("ranks and special registers",
      "getctarank.shared::cluster.u32 %r20, %r8;\ngetctarank.shared::cluster.u32 %r21, %r1;\ncvt.u64.u32 "
      "%rd5, "
      "%r8;\ncvta.shared::cluster.u64 %rd5, %rd5;\nisspacep.shared::cta %p3, %rd5;\nisspacep.shared::cluster "
      "%p4, "
      "%rd5;\nmapa.u64 %rd6, %rd5, 0;\ngetctarank.u64 %r22, %rd6;\nselp.u32 %r23, 1, 0, %p3;\nselp.u32 %r24, "
      "1, 0, "
      "%p4;\nmov.u32 %r25, %clusterid.x;\nmov.u32 %r26, %nclusterid.x;\nmov.u32 %r27, "
      "%cluster_ctaid.x;\nmov.u32 %r28, "
      "%cluster_nctaid.x;\nmov.u32 %r29, %cluster_nctarank;\nmov.pred %p5, %is_explicit_cluster;\nselp.u32 "
      "%r30, 1, 0, "
      "%p5;\nmad.lo.u32 %r20, %r20, 8, %r21;\nmad.lo.u32 %r20, %r20, 8, %r22;\nmad.lo.u32 %r20, %r20, 8, "
      "%r23;\nmad.lo.u32 "
      "%r20, %r20, 8, %r24;\nmad.lo.u32 %r20, %r20, 8, %r25;\nmad.lo.u32 %r20, %r20, 8, %r26;\nmad.lo.u32 "
      "%r20, %r20, 8, "
      "%r27;\nmad.lo.u32 %r20, %r20, 8, %r28;\nmad.lo.u32 %r20, %r20, 4, %r29;\nmad.lo.u32 %r20, %r20, 4, "
      "%r30;\nst.global.u32 [%rd10], %r20;\n" +
          sync);
  add("mbarrier states",
      "@!%p1 bra END;\nmbarrier.init.shared.b64 [%r2], 4;\nmbarrier.arrive.shared.b64 %rd3, "
      "[%r2];\nmbarrier.pending_count.b64 "
      "%r20, %rd3;\nmbarrier.arrive.shared.b64 %rd4, [%r2], 2;\nmbarrier.pending_count.b64 %r21, "
      "%rd4;\nmbarrier.test_wait.shared"
      ".b64 %p3, [%r2], %rd3;\nselp.u32 %r22, 1, 0, %p3;\nmbarrier.arrive_drop.shared.b64 %rd5, "
      "[%r2];\nmbarrier.pending_count.b64 "
      "%r23, %rd5;\nmbarrier.test_wait.shared.b64 %p3, [%r2], %rd3;\nselp.u32 %r24, 1, 0, "
      "%p3;\nmbarrier.test_wait.parity.shared.b64 "
      "%p3, [%r2], 0;\nselp.u32 %r25, 1, 0, %p3;\nmbarrier.test_wait.parity.shared.b64 %p3, [%r2], "
      "1;\nselp.u32 %r26, 1, 0, "
      "%p3;\nmbarrier.arrive.shared.b64 %rd6, [%r2];\nmbarrier.pending_count.b64 %r27, "
      "%rd6;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 "
      "[%r2], 64;\nmbarrier.arrive.shared.b64 %rd7, [%r2], 2;\nmbarrier.test_wait.shared.b64 %p3, [%r2], "
      "%rd7;\nselp.u32 %r28, 1, 0, "
      "%p3;\nmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 64;\nmbarrier.test_wait.shared.b64 %p3, "
      "[%r2], %rd7;\nselp.u32 "
      "%r29, 1, 0, %p3;\nst.global.v4.u32 [%rd12], {%r20, %r21, %r22, %r23};\nst.global.v4.u32 [%rd12+16], "
      "{%r24, %r25, %r26, "
      "%r27};\nst.global.v2.u32 [%rd12+32], {%r28, %r29};\nEND:\n");
  add("cp.async.mbarrier.arrive",
      "@%p1 mbarrier.init.shared.b64 [%r2], 128;\n" + sync +
          "cp.async.ca.shared.global [%r5+256], [%rd9], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 "
          "[%r2];\ncp.async.mbarrier.arrive.shared.b64 [%r2];\nmbarrier.arrive.shared.b64 %rd3, [%r2];\n" +
          await + "xor.b32 %r5, %r5, 128;\nld.shared.u32 %r20, [%r5+256];\nst.global.u32 [%rd10], %r20;\n");
  add("vote.ballot.sync.b32",
      "setp.gt.s32 %p3, %r10, 0;\nvote.ballot.sync.b32 %r20, %p3, -1;\nst.global.u32 [%rd10], %r20;\n");
  return probes;
}

inline std::vector<Probe> all() {
  std::vector<Probe> probes;
  for (const MatrixForm& form : mma_forms()) {
    probes.push_back(mma_probe(form, Values::kExact));
    if (!info(form.a).is_integer) probes.push_back(mma_probe(form, Values::kRandom));
  }
  for (const MatrixForm& form : wmma_forms())
    for (const auto& [a, b] : {std::pair{false, true}, {true, false}, {false, false}}) {
      probes.push_back(wmma_probe(form, Values::kExact, a, b));
      if (!info(form.a).is_integer) probes.push_back(wmma_probe(form, Values::kRandom, a, b));
    }
  for (const Element factor : {Element::kS4, Element::kU4})
    probes.push_back(wmma_probe({fmt::format(".s32.{0}.{0}.s32", info(factor).name), 8, 8, 32, factor, factor,
                                 Element::kS32, Element::kS32},
                                Values::kExact, false, true));
  for (const char* operation : {".xor.popc", ".and.popc"})
    probes.push_back(
        wmma_probe({".s32.b1.b1.s32", 8, 8, 128, Element::kB1, Element::kB1, Element::kS32, Element::kS32},
                   Values::kExact, false, true, operation));
  for (auto* more : {&matrix_move_probes, &async_probes})
    for (Probe& probe : more()) probes.push_back(std::move(probe));
  return probes;
}

// ---- the file: a line with the name, a line with the words in hexadecimal -----------------------------
using Recording = std::map<std::string, std::vector<std::uint32_t>>;

inline void write(std::ostream& out, const std::string& name, const std::vector<std::uint32_t>& words) {
  out << name << '\n';
  for (const std::uint32_t word : words) out << fmt::format("{:08x}", word);
  out << '\n';
}

inline Recording read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  Recording recording;
  for (std::string name, hex; std::getline(in, name);) {
    if (name.starts_with('#')) continue;
    std::getline(in, hex);
    for (std::size_t at = 0; at + 8 <= hex.size(); at += 8)
      recording[name].push_back(static_cast<std::uint32_t>(std::stoul(hex.substr(at, 8), nullptr, 16)));
  }
  return recording;
}

}  // namespace cudalab::vgpu::probes
