// Finds reasons why a program cannot run on the virtual GPU, such as libraries with machine code for GPUs.
#include "device/programs/program_objection.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/programs/elf_file.h"
#include "device/programs/program_run.h"
#include "messages/device.h"

namespace cudalab::device {
namespace {

struct Library {
  std::string_view begins, name;
  Message (*why)(cudalab::Argument library);
};

Message of_opengl(cudalab::Argument) { return msg::library_draws(); }

constexpr Library kLibraries[] = {
    {"libcublasLt", "cuBLASLt", msg::library_calls_driver},
    {"libcufftw", "cuFFTW", msg::library_calls_driver},
    {"libcusparseLt", "cuSPARSELt", msg::library_calls_driver},
    {"libcusolver", "cuSOLVER", msg::library_calls_driver},
    {"libcudnn", "cuDNN", msg::library_calls_driver},
    {"libnpp", "NPP", msg::library_calls_driver},
    {"libnccl", "NCCL", msg::library_calls_driver},
    {"libGL", "", of_opengl},
    {"libglut", "", of_opengl},
};

Message too_old(const std::string& program, cudalab::Argument runtime) {
  return msg::program_too_old(program, std::move(runtime), kBuildFlags);
}

// Whether one of this project's libraries has this name. A library of an older CUDA has another version in
// its name.
bool is_own(const std::string& needed) {
  return std::ranges::find(kProgramLibraries, needed) != std::end(kProgramLibraries);
}
bool is_older(const std::string& needed) {
  return std::ranges::any_of(kProgramLibraries, [&](std::string_view own) {
    return needed.starts_with(own.substr(0, own.rfind('.') + 1));
  });
}

Message objection_to_library(const std::string& program, const std::string& needed) {
  if (is_own(needed)) return {};
  if (is_older(needed)) return too_old(program, needed);
  for (const Library& row : kLibraries)
    if (needed.starts_with(row.begins)) return msg::program_needs_library(program, needed, row.why(row.name));
  return {};
}

}  // namespace

Message objection_to(const std::string& program, std::span<const std::byte> file) {
  if (!is_elf(file)) return {};  // a script, which may start a program
  bool is_linked_to_runtime = false;
  for (const std::string& needed : needed_libraries(file)) {
    if (Message objection = objection_to_library(program, needed); !objection.empty()) return objection;
    is_linked_to_runtime |= needed.starts_with("libcudart.so.");
  }
  const bool has_device_code = has_section(file, ".nv_fatbin") || has_section(file, ".nvFatBinSegment");
  if (!has_device_code || is_linked_to_runtime) return {};
  constexpr std::array<std::string_view, 1> kRegisters{"__cudaRegisterFatBinary"},
      kSince13{"__cudaGetKernel"};
  if (cudalab::functions_of(file, kRegisters).empty()) return msg::program_stripped(program, kBuildFlags);
  if (cudalab::functions_of(file, kSince13).empty()) return too_old(program, msg::runtime_of_older_cuda());
  return {};
}

void require_runnable(const std::string& program) {
  const auto path = program.find('/') == std::string::npos ? compile::find_program(program)
                                                           : std::optional<std::filesystem::path>(program);
  if (!path) throw usage_error(msg::program_not_found(Code{program}, program));
  const MappedFile file(path->c_str());
  if (file.bytes().empty()) throw usage_error(msg::program_not_readable(program));
  if (const Message objection = objection_to(program, file.bytes()); !objection.empty())
    throw usage_error(objection);
}

}  // namespace cudalab::device
