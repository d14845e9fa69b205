// Kernels that execute instructions which are not rows of the opcode table, by family. The results of an
// NVIDIA H200 are in expected/h200/instructions.txt (tests/conformance/README.md); a test compares with them.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "vgpu/probes/async_probes_testing.h"
#include "vgpu/probes/matrix_probes_testing.h"
#include "vgpu/probes/word_probes_testing.h"

namespace cudalab::vgpu::probes {

// In the order of the file.
using Family = std::vector<Probe> (*)();
inline constexpr Family kFamilies[] = {
    mma_probes,           wmma_probes,    matrix_move_probes, bulk_copy_probes,     bulk_reduction_probes,
    async_store_probes,   cluster_probes, mbarrier_probes,    quad_probes,          video_probes,
    vector_atomic_probes, logic_probes,   wide_move_probes,   wmma_fragment_probes,
};

inline std::vector<Probe> all() {
  std::vector<Probe> probes;
  for (const Family family : kFamilies)
    for (Probe& probe : family()) probes.push_back(std::move(probe));
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
