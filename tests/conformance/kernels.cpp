#include "kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "vectors.h"

namespace cudalab::conformance {
namespace {

using ptx::Type;
using vgpu::Row;
using vgpu::Shape;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
bool is_approximate(const Row& row) {
  return contains(row.opcode, ".approx") || contains(row.opcode, ".full");
}
bool ends_with_carry(const Row& row) { return contains(row.opcode, ".cc."); }
bool begins_with_carry(const Row& row) {
  return row.uses_carry &&
         (row.opcode.starts_with("addc") || row.opcode.starts_with("subc") || row.opcode.starts_with("madc"));
}
bool borrows(const Row& row) { return row.opcode.starts_with("sub"); }

std::string type_name(Type type) { return std::string(ptx::info(type).name); }

Probe make_probe(const Row& row) {
  Probe probe{&row};
  if (begins_with_carry(row)) probe.operands.push_back("carry");
  for (int i = 0; i < row.source_count; ++i)
    probe.operands.push_back(type_name(row.sources[static_cast<std::size_t>(i)]));
  probe.results.push_back(type_name(row.result));
  if (row.shape == Shape::kComparePairs) probe.results.push_back("pred");
  if (ends_with_carry(row)) probe.results.push_back("carry");
  probe.count = is_approximate(row) ? 1024 : 192 + extremes_for(probe.operands);
  return probe;
}

// ---- text --------------------------------------------------------------------------------------------
std::string register_type(const std::string& type) {
  switch (vgpu::recorded::digits_of(type)) {
    case 16: return "b64";
    case 8: return "b32";
    default: return type == "pred" ? "pred" : type == "carry" ? "b32" : "b16";
  }
}

// Loads a value into %NAME; a predicate and a carry arrive as 0 or 1.
std::string load(const std::string& type, const std::string& name, std::size_t offset) {
  if (type == "pred")
    return fmt::format("  ld.global.b32 %word, [%from+{}];\n  setp.ne.b32 {}, %word, 0;\n", offset, name);
  if (type == "u8" || type == "s8")
    return fmt::format("  ld.global.{} {}, [%from+{}];\n", type, name, offset);
  return fmt::format("  ld.global.{} {}, [%from+{}];\n", register_type(type), name, offset);
}
std::string store(const std::string& type, const std::string& name, std::size_t offset) {
  if (type == "pred")
    return fmt::format("  selp.b32 %word, 1, 0, {};\n  st.global.b32 [%to+{}], %word;\n", name, offset);
  if (vgpu::recorded::digits_of(type) == 2)
    return fmt::format("  st.global.b8 [%to+{}], {};\n", offset, name);
  return fmt::format("  st.global.{} [%to+{}], {};\n", register_type(type), offset, name);
}

std::string set_carry(bool borrow) {
  return borrow ? "  sub.cc.u32 %word, 0, %carry;\n" : "  add.cc.u32 %word, %carry, -1;\n";
}
std::string get_carry(bool borrow, std::size_t offset) {
  const std::string fetch =
      borrow ? "  subc.u32 %word, 0, 0;\n  and.b32 %word, %word, 1;\n" : "  addc.u32 %word, 0, 0;\n";
  return fetch + fmt::format("  st.global.b32 [%to+{}], %word;\n", offset);
}

constexpr const char* kPrologue = R"(
.visible .entry {0}(.param .u64 inputs, .param .u64 results)
{{
  .reg .b32 %i<5>, %word, %carry;
  .reg .b64 %from, %to, %offset;
  .reg .pred %outside;
{1}  ld.param.u64 %from, [inputs];
  ld.param.u64 %to, [results];
  mov.u32 %i0, %tid.x;
  mov.u32 %i1, %ctaid.x;
  mov.u32 %i2, %ntid.x;
  mad.lo.u32 %i3, %i1, %i2, %i0;
  setp.ge.u32 %outside, %i3, {2};
  @%outside ret;
  mul.wide.u32 %offset, %i3, 8;
  add.u64 %from, %from, %offset;
  add.u64 %to, %to, %offset;
)";

}  // namespace

std::vector<Probe> all_probes(const vgpu::OpcodeTable& table) {
  std::vector<Probe> probes;
  for (const Row& row : table.rows()) {
    if (row.shape == Shape::kInternal) continue;  // only the decoder uses it
    if (row.opcode != "lop3.b32") {
      probes.push_back(make_probe(row));
      continue;
    }
    for (const unsigned bits : {0x96u, 0xe8u, 0xcau, 0x80u, 0xfeu, 0x1bu, 0x6au, 0xd2u}) {
      probes.push_back(make_probe(row));
      probes.back().table = bits;
    }
  }
  return probes;
}

std::string module_header() { return ".version 8.3\n.target sm_90\n.address_size 64\n"; }

std::string kernel_text(const Probe& probe, const std::string& name) {
  std::string declarations, loads, operands, stores, destination;
  const auto declare = [&](const std::string& type, const std::string& reg) {
    // Bytes need an 8-bit register only in bf16 opcodes.
    const bool byte = vgpu::recorded::digits_of(type) == 2 && contains(probe.row->opcode, "bf16");
    if (type != "carry")
      declarations += fmt::format("  .reg .{} {};\n", byte ? "b8" : register_type(type), reg);
  };
  for (std::size_t i = 0; i < probe.operands.size(); ++i) {
    const std::string& type = probe.operands[i];
    const std::string reg = type == "carry" ? "%carry" : fmt::format("%s{}", i);
    declare(type, reg);
    loads += load(type == "carry" ? "b32" : type, reg, i * probe.count * 8);
    if (type == "carry") continue;
    const bool constant = probe.table && i + 1 == probe.operands.size();
    operands += ", " + (constant ? fmt::format("{}", *probe.table) : reg);
  }
  if (probe.operands.front() == "carry") loads += set_carry(borrows(*probe.row));
  for (std::size_t i = 0; i < probe.results.size(); ++i) {
    const std::string& type = probe.results[i];
    const std::size_t offset = i * probe.count * 8;
    if (type == "carry") {
      stores = get_carry(borrows(*probe.row), offset) + stores;  // before another instruction changes it
      continue;
    }
    const std::string reg = fmt::format("%d{}", i);
    declare(type, reg);
    destination += (i == 0 ? "" : "|") + reg;
    stores += store(type, reg, offset);
  }
  return fmt::format(fmt::runtime(kPrologue), name, declarations, probe.count) + loads +
         fmt::format("  {} {}{};\n", probe.row->opcode, destination, operands) + stores + "  ret;\n}\n";
}

}  // namespace cudalab::conformance
