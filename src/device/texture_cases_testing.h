// For tests: textures of every kind, places to read them at, and a kernel for each way of reading. What a
// device answers is 32 bits a channel; expected/h200/textures.txt holds what an H200 answered.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "device/device.h"

namespace cudalab::device {

enum class TexelPlace { kArray, kLinear, kPitch };

struct TextureCase {
  std::string name;
  std::string kernel;  // in kTextureKernels
  ArrayShape shape;
  Sampling sampling;
  TexelPlace place = TexelPlace::kArray;
  bool all_channels = false;  // also those that the format lacks
};
inline void PrintTo(const TextureCase& one, std::ostream* out) { *out << one.name; }

std::vector<TextureCase> texture_cases();

// Reads a texture at `points` places. One row a place, of all four channels or as many as the format has.
std::vector<std::vector<std::uint32_t>> read_texture(Device& device, Program& program,
                                                     const TextureCase& test, std::size_t points);

extern const char* const kTextureKernels;

}  // namespace cudalab::device
