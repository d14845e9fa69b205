// Test cases for textures of every kind: texels, coordinates, and a kernel for each way to fetch. Each
// channel of a result has 32 bits. expected/h200/textures.txt holds the results of an H200.
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
  bool all_channels = false;  // include channels that the format lacks
};
inline void PrintTo(const TextureCase& one, std::ostream* out) { *out << one.name; }

std::vector<TextureCase> texture_cases();

// Fetches a texture at `points` places. One row per place, with all four channels or those of the format.
std::vector<std::vector<std::uint32_t>> read_texture(Device& device, Program& program,
                                                     const TextureCase& test, std::size_t points);

extern const char* const kTextureKernels;

}  // namespace cudalab::device
