// Arrays, textures and surfaces through the CUDA driver.
#pragma once

#include <functional>

#include "device/cuda/driver.h"
#include "device/textures.h"

namespace cudalab::device {

class CudaTextures final : public Textures {
 public:
  // `enter` makes the context current for the calling thread, or throws if the GPU is lost.
  CudaTextures(ContextPointer context, CUdevice gpu, std::function<void()> enter);

 private:
  std::uint64_t make_array(const std::string& name, const ArrayShape& shape) override;
  void copy_to(std::uint64_t array, const ArrayShape& shape, std::span<const std::byte> from) override;
  void copy_from(std::uint64_t array, const ArrayShape& shape, std::span<std::byte> to) override;
  std::uint64_t make_texture(std::uint64_t array, const Sampling& sampling) override;
  std::uint64_t make_texture(const LinearTexels& texels, const Sampling& sampling) override;
  std::uint64_t make_texture(const PitchTexels& texels, const Sampling& sampling) override;
  std::uint64_t make_texture(const CUDA_RESOURCE_DESC& resource, const Sampling& sampling);
  std::uint64_t make_surface(std::uint64_t array) override;
  void destroy(TextureThing thing, std::uint64_t value) override;

  ContextPointer context_;
  std::function<void()> enter_;
};

}  // namespace cudalab::device
