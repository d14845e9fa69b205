// Arrays, textures and surfaces on the virtual GPU.
#pragma once

#include "device/textures.h"
#include "vgpu/memory/texture_table.h"

namespace cudalab::device {

class VirtualTextures final : public Textures {
 public:
  VirtualTextures(vgpu::TextureTable& table, const TextureLimits& limits) : Textures(limits), table_(table) {}

 private:
  std::uint64_t make_array(const std::string& name, const ArrayShape& shape) override {
    return table_.create_array(name, shape);
  }
  void copy_to(std::uint64_t array, const ArrayShape&, std::span<const std::byte> from) override {
    table_.write_array(array, from);
  }
  void copy_from(std::uint64_t array, const ArrayShape&, std::span<std::byte> to) override {
    table_.read_array(array, to);
  }
  std::uint64_t make_texture(std::uint64_t array, const Sampling& sampling) override {
    return table_.create_texture(array, sampling);
  }
  std::uint64_t make_texture(const LinearTexels& texels, const Sampling& sampling) override {
    return table_.create_texture(texels, sampling);
  }
  std::uint64_t make_texture(const PitchTexels& texels, const Sampling& sampling) override {
    return table_.create_texture(texels, sampling);
  }
  std::uint64_t make_surface(std::uint64_t array) override { return table_.create_surface(array); }
  void destroy(TextureThing, std::uint64_t value) override { table_.destroy(value); }

  vgpu::TextureTable& table_;
};

}  // namespace cudalab::device
