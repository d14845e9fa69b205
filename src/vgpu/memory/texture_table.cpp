#include "vgpu/memory/texture_table.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/alignment.h"

namespace cudalab::vgpu {
namespace {

// The widest surface access must be aligned in every row.
constexpr std::size_t kRowAlignment = 16;

constexpr std::size_t kLevelAlignment = 256;

// The number of layers is the same in all levels.
ArrayShape shape_of_level(ArrayShape shape, std::size_t level) {
  for (std::size_t* size : {&shape.width, &shape.height, &shape.depth})
    if (*size > 0) *size = std::max<std::size_t>(*size >> level, 1);
  return shape;
}

TexelGrid grid_of(const ArrayShape& shape) {
  TexelGrid grid;
  grid.format = shape.format;
  grid.dimensions = shape.dimensions();
  grid.extent = {shape.width, shape.rows(), shape.depth ? shape.depth : 1};
  grid.layers = shape.layers;
  const std::size_t row = shape.width * shape.format.bytes();
  grid.row_bytes = round_up(row, kRowAlignment);
  grid.slice_bytes = grid.row_bytes * shape.rows();
  return grid;
}

// Copies between the host's contiguous rows and the array's rows: copy(offset in the array, offset at the
// host, bytes).
template <class Copy>
void for_each_row(const ArrayShape& shape, Copy copy) {
  const TexelGrid grid = grid_of(shape);
  const std::size_t row = shape.width * shape.format.bytes();
  for (std::size_t i = 0; i < shape.rows() * shape.slices(); ++i) copy(i * grid.row_bytes, i * row, row);
}

BoundTexels bound_to(const LinearTexels& texels) {
  BoundTexels bound;
  bound.grid.format = texels.format;
  bound.grid.extent[0] = texels.count;
  bound.address = texels.address;
  bound.is_linear_memory = true;
  return bound;
}

BoundTexels bound_to(const PitchTexels& texels) {
  BoundTexels bound;
  bound.grid.format = texels.format;
  bound.grid.dimensions = 2;
  bound.grid.extent = {texels.width, texels.height, 1};
  bound.grid.row_bytes = texels.pitch_bytes;
  bound.address = texels.address;
  return bound;
}

BoundTexels bound_to(std::uint64_t array, const ArrayShape& shape) {
  BoundTexels bound;
  bound.grid = grid_of(shape);
  bound.address = array;
  bound.can_gather = shape.can_gather;
  return bound;
}

}  // namespace

const ArrayShape& TextureTable::shape_of(std::uint64_t array) const {
  const auto found = arrays_.find(array);
  if (found == arrays_.end()) throw std::logic_error("no array has this handle");
  return found->second;
}

std::uint64_t TextureTable::create_array(std::string name, const ArrayShape& shape) {
  const TexelGrid grid = grid_of(shape);
  const std::uint64_t array = memory_->allocate(std::move(name), grid.slice_bytes * shape.slices());
  arrays_[array] = shape;
  return array;
}

void TextureTable::write_array(std::uint64_t array, std::span<const std::byte> from) {
  const ArrayShape& shape = shape_of(array);
  if (from.size() != shape.bytes()) throw std::logic_error("a copy to an array has another size");
  std::vector<std::byte> image(grid_of(shape).slice_bytes * shape.slices());
  for_each_row(shape, [&](std::size_t in_array, std::size_t at_host, std::size_t bytes) {
    std::memcpy(image.data() + in_array, from.data() + at_host, bytes);
  });
  memory_->write(array, image);
}

void TextureTable::read_array(std::uint64_t array, std::span<std::byte> to) const {
  const ArrayShape& shape = shape_of(array);
  if (to.size() != shape.bytes()) throw std::logic_error("a copy from an array has another size");
  for_each_row(shape, [&](std::size_t in_array, std::size_t at_host, std::size_t bytes) {
    memory_->read(array + in_array, to.subspan(at_host, bytes));
  });
}

TexelGrid TextureTable::grid_of_array(std::uint64_t array) const { return grid_of(shape_of(array)); }

std::uint64_t TextureTable::bind(BoundTexels texels) {
  bound_[next_handle_] = std::move(texels);
  return next_handle_++;
}

std::uint64_t TextureTable::create_texture(const TexelSource& texels, const Sampling& sampling) {
  BoundTexels bound;
  if (const auto* array = std::get_if<std::uint64_t>(&texels)) bound = bound_to(*array, shape_of(*array));
  if (const auto* linear = std::get_if<LinearTexels>(&texels)) bound = bound_to(*linear);
  if (const auto* pitch = std::get_if<PitchTexels>(&texels)) bound = bound_to(*pitch);
  bound.sampling = sampling;
  return bind(std::move(bound));
}

std::vector<std::uint64_t> TextureTable::create_levels(std::string name, const ArrayShape& shape,
                                                       std::size_t levels) {
  std::size_t bytes = 0;
  std::vector<std::size_t> offsets;
  for (std::size_t level = 0; level < levels; ++level) {
    const ArrayShape smaller = shape_of_level(shape, level);
    offsets.push_back(bytes);
    bytes += round_up(grid_of(smaller).slice_bytes * smaller.slices(), kLevelAlignment);
  }
  const std::uint64_t first = memory_->allocate(std::move(name), bytes);
  std::vector<std::uint64_t> arrays;
  for (std::size_t level = 0; level < levels; ++level) {
    arrays.push_back(first + offsets[level]);
    arrays_[arrays.back()] = shape_of_level(shape, level);
  }
  return arrays;
}

std::uint64_t TextureTable::create_mipmapped_texture(std::span<const std::uint64_t> levels,
                                                     const Sampling& sampling,
                                                     const LevelSampling& level_sampling) {
  BoundTexels bound = bound_to(levels.front(), shape_of(levels.front()));
  bound.sampling = sampling;
  bound.level_sampling = level_sampling;
  for (const std::uint64_t level : levels)
    bound.levels.push_back({grid_of(shape_of(level)), level - levels.front()});
  return bind(std::move(bound));
}

std::uint64_t TextureTable::create_surface(std::uint64_t array) {
  BoundTexels bound = bound_to(array, shape_of(array));
  bound.is_surface = true;
  return bind(std::move(bound));
}

void TextureTable::destroy(std::uint64_t array_or_handle) {
  if (arrays_.erase(array_or_handle)) memory_->free(array_or_handle);
  bound_.erase(array_or_handle);
}

const BoundTexels* TextureTable::find(std::uint64_t handle) const {
  const auto found = bound_.find(handle);
  return found == bound_.end() ? nullptr : &found->second;
}

}  // namespace cudalab::vgpu
