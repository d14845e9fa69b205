// Probes of matrix multiplication and of moving matrices between registers and shared memory, with their
// inputs.
#pragma once

#include <bit>
#include <random>
#include <utility>

#include "core/half.h"
#include "vgpu/probes/probe_testing.h"

namespace cudalab::vgpu::probes {

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
  std::string opcode_end;  // after the shape
  int m, n, k;
  Element a, b, c, d;
};

inline int fragment_registers(int elements, Element element) {
  return elements / (32 * (register_bits(element) / info(element).bits));
}

// Loads the registers of a fragment from `in`, or stores them to `out`, beginning with word `at`, lane by
// lane.
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

inline std::vector<Probe> mma_probes() {
  std::vector<Probe> probes;
  for (const MatrixForm& form : mma_forms()) {
    probes.push_back(mma_probe(form, Values::kExact));
    if (!info(form.a).is_integer) probes.push_back(mma_probe(form, Values::kRandom));
  }
  return probes;
}

inline std::vector<Probe> wmma_probes() {
  std::vector<Probe> probes;
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
  return probes;
}

// The registers that a load of a fragment writes: which lane holds which element.
inline Probe wmma_fragment_probe(char part, int rows, int columns, bool by_columns, const std::string& shape,
                                 Element element) {
  const int registers =
      part != 'c' && element == Element::kF16 ? 8 : fragment_registers(rows * columns, element);
  const bool wide = register_bits(element) == 64;
  Probe probe;
  probe.name = fmt::format("wmma.load.{}.sync.aligned.{}.{}.global.{}", part, by_columns ? "col" : "row",
                           shape, info(element).name);
  std::mt19937 random(static_cast<unsigned>(rows * 7 + columns));
  add_words(probe.inputs, random, element, rows * columns, Values::kRandom);
  std::string list, results;
  int next = 1, out = 0;
  for (int r = 0; r < registers; ++r)
    list += fmt::format("{}{}{}", r ? ", " : "", wide ? "%fd" : "%r", 1 + r);
  fragment(results, element, registers, next, out, true);
  probe.results = static_cast<std::size_t>(out);
  probe.ptx = module_of(
      fmt::format("{} {{{}}}, [%rd1], {};\n", probe.name, list, by_columns ? rows : columns) + results);
  return probe;
}

inline std::vector<Probe> wmma_fragment_probes() {
  using enum Element;
  std::vector<Probe> probes;
  const auto add = [&](int m, int n, int k, std::initializer_list<Element> factors,
                       std::initializer_list<Element> sums) {
    const std::string shape = fmt::format("m{}n{}k{}", m, n, k);
    for (const bool by_columns : {false, true}) {
      for (const Element factor : factors) {
        const bool narrow = info(factor).bits < 8;
        if (!narrow || !by_columns)
          probes.push_back(wmma_fragment_probe('a', m, k, by_columns, shape, factor));
        if (!narrow || by_columns)
          probes.push_back(wmma_fragment_probe('b', k, n, by_columns, shape, factor));
      }
      for (const Element sum : sums) probes.push_back(wmma_fragment_probe('c', m, n, by_columns, shape, sum));
    }
  };
  const int shapes[3][2] = {{16, 16}, {32, 8}, {8, 32}};
  for (const auto& [m, n] : shapes) add(m, n, 16, {kF16, kBF16, kS8, kU8}, {kF16, kF32, kS32});
  add(16, 16, 8, {kTF32}, {kF32});
  add(8, 8, 4, {kF64}, {kF64});
  add(8, 8, 32, {kS4, kU4}, {kS32});
  add(8, 8, 128, {kB1}, {kS32});
  return probes;
}

// m8n8k4 of f16: each lane has four halves of a and of b, and eight sums.
inline Probe quad_probe(const std::string& layouts, Element d, Element c, Values values) {
  Probe probe;
  const std::string opcode =
      fmt::format("mma.sync.aligned.m8n8k4.{}.{}.f16.f16.{}", layouts, info(d).name, info(c).name);
  probe.name = opcode + (values == Values::kRandom ? " random" : "");
  std::mt19937 random(4);
  std::string code, results, operands;
  int next = 1, at = 0, out = 0;
  const std::pair<Element, int> inputs[] = {{Element::kF16, 4}, {Element::kF16, 4}, {c, 8}};
  for (const auto& [element, of_lane] : inputs) {
    add_words(probe.inputs, random, element, 32 * of_lane, values);
    operands += ", " + fragment(code, element, fragment_registers(32 * of_lane, element), next, at, false);
  }
  const std::string sums = fragment(results, d, fragment_registers(32 * 8, d), next, out, true);
  probe.results = static_cast<std::size_t>(out);
  probe.ptx = module_of(code + opcode + " " + sums + operands + ";\n" + results);
  if (values == Values::kRandom) probe.tolerance = 1;
  probe.result = d;
  return probe;
}

inline std::vector<Probe> quad_probes() {
  using enum Element;
  std::vector<Probe> probes;
  for (const char* layouts : {"row.col", "col.row", "row.row", "col.col"})
    for (const auto& [d, c] : {std::pair{kF16, kF16}, {kF32, kF16}, {kF32, kF32}})
      for (const Values values : {Values::kExact, Values::kRandom})
        probes.push_back(quad_probe(layouts, d, c, values));
  return probes;
}

// ---- moving ------------------------------------------------------------------------------------------
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

}  // namespace cudalab::vgpu::probes
