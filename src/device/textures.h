// Arrays, textures and surfaces of a device. The handle of a texture object (`cudaTextureObject_t`) is a
// kernel argument. Requests that no GPU supports are rejected before anything is created.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "core/scalar_type.h"
#include "core/texture.h"

namespace cudalab::device {

class Textures;

enum class TextureThing { kArray, kTexture, kSurface };

// An owned handle on a device; destroyed with the object. Must not outlive the device.
template <TextureThing kThing>
class TextureHandle {
 public:
  TextureHandle() = default;
  TextureHandle(Textures& owner, std::uint64_t value) : owner_(&owner), value_(value) {}
  TextureHandle(TextureHandle&& other) noexcept { swap(other); }
  TextureHandle& operator=(TextureHandle&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TextureHandle();
  std::uint64_t value() const { return value_; }

 private:
  void swap(TextureHandle& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(value_, other.value_);
  }
  Textures* owner_ = nullptr;
  std::uint64_t value_ = 0;
};
using Texture = TextureHandle<TextureThing::kTexture>;  // value() is a kernel argument
using Surface = TextureHandle<TextureThing::kSurface>;

class TextureArray {
 public:
  TextureArray() = default;
  TextureArray(Textures& owner, std::uint64_t value, const ArrayShape& shape)
      : handle_(owner, value), shape_(shape) {}
  std::uint64_t value() const { return handle_.value(); }
  const ArrayShape& shape() const { return shape_; }

 private:
  TextureHandle<TextureThing::kArray> handle_;
  ArrayShape shape_;
};

// The format of texels with `channels` channels of `type`. Throws Error(kUsage) for 64-bit types, which no
// GPU supports.
TexelFormat texel_format(ScalarType type, int channels = 1);

class Textures {
 public:
  virtual ~Textures() = default;
  const TextureLimits& limits() const { return limits_; }

  // Throws Error(kUsage) beyond a limit, Error(kUnavailable) if there is not enough memory.
  TextureArray create_array(const std::string& name, const ArrayShape& shape);
  // Copy the whole array, without gaps between rows and slices.
  void upload(const TextureArray& array, std::span<const std::byte> from);
  void download(const TextureArray& array, std::span<std::byte> to);

  Texture create_texture(const TextureArray& array, const Sampling& sampling);
  // For tex1Dfetch only: fetches single texels by index.
  Texture create_texture(const LinearTexels& texels, ReadMode read = ReadMode::kElement);
  Texture create_texture(const PitchTexels& texels, const Sampling& sampling);
  // The array must have been created with `has_surface`.
  Surface create_surface(const TextureArray& array);

 protected:
  explicit Textures(const TextureLimits& limits) : limits_(limits) {}

 private:
  template <TextureThing>
  friend class TextureHandle;
  virtual std::uint64_t make_array(const std::string& name, const ArrayShape& shape) = 0;
  virtual void copy_to(std::uint64_t array, const ArrayShape& shape, std::span<const std::byte> from) = 0;
  virtual void copy_from(std::uint64_t array, const ArrayShape& shape, std::span<std::byte> to) = 0;
  virtual std::uint64_t make_texture(std::uint64_t array, const Sampling& sampling) = 0;
  virtual std::uint64_t make_texture(const LinearTexels& texels, const Sampling& sampling) = 0;
  virtual std::uint64_t make_texture(const PitchTexels& texels, const Sampling& sampling) = 0;
  virtual std::uint64_t make_surface(std::uint64_t array) = 0;
  virtual void destroy(TextureThing thing, std::uint64_t value) = 0;

  TextureLimits limits_;
};

template <TextureThing kThing>
TextureHandle<kThing>::~TextureHandle() {
  if (owner_) owner_->destroy(kThing, value_);
}

}  // namespace cudalab::device
