// The libraries that call the driver directly, which the virtual GPU does not replace.
#include "device/programs/program_objection.h"

#include <array>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/programs/elf_file.h"

namespace cudalab::device {
namespace {

struct Library {
  std::string_view begins, why;
};
constexpr Library kLibraries[] = {
    {"libcublas", "cuBLAS speaks to the driver itself"},
    {"libcufft", "cuFFT speaks to the driver itself"},
    {"libcurand", "cuRAND's host functions speak to the driver themselves"},
    {"libcusparse", "cuSPARSE speaks to the driver itself"},
    {"libcusolver", "cuSOLVER speaks to the driver itself"},
    {"libcudnn", "cuDNN speaks to the driver itself"},
    {"libnpp", "NPP speaks to the driver itself"},
    {"libnccl", "NCCL speaks to the driver itself"},
    {"libcuda.so", "the driver API is a card's"},
    {"libGL", "OpenGL draws on a card"},
    {"libglut", "OpenGL draws on a card"},
};

std::string too_old(const std::string& program, std::string_view runtime) {
  return fmt::format(
      "{} was built for {}, and the virtual GPU has the runtime of CUDA 13; build it again with nvcc 13 {}",
      program, runtime, kBuildFlags);
}

std::string objection_to_library(const std::string& program, const std::string& needed) {
  for (const Library& row : kLibraries)
    if (needed.starts_with(row.begins))
      return fmt::format("{} needs {}: {}; run it on a card, or write that part as a kernel", program, needed,
                         row.why);
  if (needed.starts_with("libcudart.so.") && needed != "libcudart.so.13") return too_old(program, needed);
  return "";
}

}  // namespace

std::string objection_to(const std::string& program, std::span<const std::byte> file) {
  if (!is_elf(file)) return "";  // a script, which may start a program
  bool is_linked_to_runtime = false;
  for (const std::string& needed : needed_libraries(file)) {
    if (std::string objection = objection_to_library(program, needed); !objection.empty()) return objection;
    is_linked_to_runtime |= needed.starts_with("libcudart.so.");
  }
  const bool has_device_code = has_section(file, ".nv_fatbin") || has_section(file, ".nvFatBinSegment");
  if (!has_device_code || is_linked_to_runtime) return "";
  constexpr std::array<std::string_view, 1> kRegisters{"__cudaRegisterFatBinary"},
      kSince13{"__cudaGetKernel"};
  if (cudalab::functions_of(file, kRegisters).empty())
    return fmt::format(
        "{} holds NVIDIA's runtime and is stripped: its calls cannot be led to the virtual GPU; build it "
        "without stripping, or with nvcc {}",
        program, kBuildFlags);
  if (cudalab::functions_of(file, kSince13).empty()) return too_old(program, "the runtime of an older CUDA");
  return "";
}

void require_runnable(const std::string& program) {
  const auto path = program.find('/') == std::string::npos ? compile::find_program(program)
                                                           : std::optional<std::filesystem::path>(program);
  if (!path) throw usage_error("there is no program `{}`; is it ./{}?", program, program);
  const MappedFile file(path->c_str());
  if (file.bytes().empty()) throw usage_error("cannot read the program {}; is the path right?", program);
  if (const std::string objection = objection_to(program, file.bytes()); !objection.empty())
    throw usage_error("{}", objection);
}

}  // namespace cudalab::device
