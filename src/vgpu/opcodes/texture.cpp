#include "vgpu/opcodes/texture.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "messages/vgpu.h"
#include "vgpu/block.h"
#include "vgpu/checks/observe.h"
#include "vgpu/counters/patterns.h"
#include "vgpu/execute/lane_access.h"
#include "vgpu/memory/texture_table.h"
#include "vgpu/program.h"
#include "vgpu/time/access_trace.h"
#include "vgpu/warp_shape.h"

namespace cudalab::vgpu {
namespace {

const TextureOp& op_of(const Inst* inst, const Warp& warp) {
  return warp.launch->program->texture_ops[inst->imm];
}

std::uint32_t layer_of(const TextureOp& op, const Warp& warp, int lane) {
  return op.has_layer ? lanes_at<const std::uint32_t>(warp, op.layer)[lane] : 0;
}

template <class T>
std::array<T, 3> coordinates_of(const TextureOp& op, const Warp& warp, int lane) {
  std::array<T, 3> at{};
  for (std::size_t d = 0; d < op.coordinate_count(); ++d)
    at[d] = lanes_at<const T>(warp, op.coordinates[d])[lane];
  return at;
}

// Counts a warp's request, whatever its number of active lanes.
void count_request(const Inst* inst, Warp& warp) {
  SiteTotals& totals = warp.sites[inst->site].totals;
  ++totals.executions;
  ++totals.requests;
  totals.lanes += static_cast<std::uint64_t>(std::popcount(warp.exec));
}

// ---- errors ------------------------------------------------------------------------------------------
Hazard misuse(const Inst* inst, const Warp& warp, int lane, Message what, Message fix, std::string buffer) {
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kOutOfBounds);
  hazard.what = std::move(what);
  hazard.fix = std::move(fix);
  hazard.buffer = std::move(buffer);
  return hazard;
}

[[noreturn]] void refuse(const Inst* inst, const Warp& warp, int lane, Message what, Message fix,
                         std::string buffer = {}) {
  throw KernelFault{misuse(inst, warp, lane, std::move(what), std::move(fix), std::move(buffer))};
}

std::string name_of(const Warp& warp, const BoundTexels& texels) {
  const Allocation* allocation = warp.launch->memory->find(texels.address);
  return allocation ? allocation->name : std::string();
}

// The message about the number of coordinates of an instruction and of dimensions of the handle's object.
Message wrong_shape(const TextureOp& op, const BoundTexels& texels) {
  const int is = texels.grid.dimensions;
  if (texels.is_surface && op.is_layered)
    return texels.grid.layers ? msg::surface_shape_layer_array(op.dimensions, is)
                              : msg::surface_shape_layer(op.dimensions, is);
  if (texels.is_surface)
    return texels.grid.layers ? msg::surface_shape_array(op.dimensions, is)
                              : msg::surface_shape(op.dimensions, is);
  if (op.is_layered)
    return texels.grid.layers ? msg::texture_shape_layer_array(op.dimensions, is)
                              : msg::texture_shape_layer(op.dimensions, is);
  return texels.grid.layers ? msg::texture_shape_array(op.dimensions, is)
                            : msg::texture_shape(op.dimensions, is);
}

bool has_shape_of(const TextureOp& op, const TexelGrid& grid) {
  return grid.dimensions == op.dimensions && (grid.layers != 0) == op.is_layered;
}

// The hardware distinguishes three kinds of textures: planes (1D and 2D arrays, and layered 2D), volumes, and
// layered 1D. Within a kind, a missing coordinate or layer is 0, and a superfluous one is ignored; a fetch of
// another kind returns 0. Measured on an H100: tests/programs/misuse/array_fetches.cu.
enum class TextureKind { kPlanes, kVolume, kLayersOfRows };

TextureKind kind_of(int dimensions, bool is_layered) {
  if (dimensions == 3) return TextureKind::kVolume;
  return dimensions == 1 && is_layered ? TextureKind::kLayersOfRows : TextureKind::kPlanes;
}

bool finds_texels(const TextureOp& op, const TexelGrid& grid) {
  return kind_of(op.dimensions, op.is_layered) == kind_of(grid.dimensions, grid.layers != 0);
}

// Surfaces, measured in the same way: a volume can be accessed as a plane (its first slice), and the layer
// can be omitted.
bool finds_bytes(const TextureOp& op, const TexelGrid& grid) {
  if (grid.dimensions == 3) return op.dimensions >= 2;
  return grid.dimensions == op.dimensions && (grid.layers != 0 || !op.is_layered);
}

[[noreturn]] void refuse_shape(const Inst* inst, const Warp& warp, int lane, const TextureOp& op,
                               const BoundTexels& texels) {
  refuse(inst, warp, lane, wrong_shape(op, texels), msg::advice_texture_function(), name_of(warp, texels));
}

// Reported once per warp; the kernel continues with zeros, as on a GPU.
void report_zeros(const Inst* inst, const Warp& warp, int lane, const BoundTexels& texels, Message what,
                  Message fix) {
  report_hazard(*warp.block,
                misuse(inst, warp, lane, std::move(what), std::move(fix), name_of(warp, texels)));
}

bool reads_by_index(const TextureOp& op) {
  return !op.has_float_coordinates && op.dimensions == 1 && !op.is_layered;
}

// Whether a lane's fetch reads texels. If a GPU would return 0 instead, reports it. In linear memory,
// fractional coordinates are not allowed.
bool reads_texels(const Inst* inst, const Warp& warp, int lane, const TextureOp& op,
                  const BoundTexels& texels) {
  const bool by_index = reads_by_index(op);
  if (texels.is_linear_memory) {
    if (!has_shape_of(op, texels.grid)) refuse_shape(inst, warp, lane, op, texels);
    if (!by_index)
      refuse(inst, warp, lane, msg::texture_linear_sampled(), msg::advice_texture_linear(),
             name_of(warp, texels));
    return true;
  }
  if (finds_texels(op, texels.grid) && !by_index) return true;
  if (finds_texels(op, texels.grid))
    report_zeros(inst, warp, lane, texels, msg::texture_array_fetched(), msg::advice_texture_array());
  else
    report_zeros(inst, warp, lane, texels, wrong_shape(op, texels), msg::advice_texture_function());
  return false;
}

// ---- handles -----------------------------------------------------------------------------------------
// Looks handles up once per warp, because lanes usually have the same handle.
class Handles {
 public:
  Handles(const Inst* inst, const Warp& warp, bool surfaces)
      : inst_(inst), warp_(warp), surfaces_(surfaces) {}

  const BoundTexels& operator[](int lane) {
    const std::uint64_t handle = lanes_at<const std::uint64_t>(warp_, inst_->a)[lane];
    if (!texels_ || handle != handle_) look_up(handle, lane);
    return *texels_;
  }
  bool are_same() const {
    const auto* handles = lanes_at<const std::uint64_t>(warp_, inst_->a);
    const std::uint64_t first = handles[std::countr_zero(warp_.exec)];
    std::uint64_t differs = 0;
    for (int lane = 0; lane < kWarpSize; ++lane)
      differs |= (handles[lane] ^ first) & (0 - std::uint64_t{warp_.exec >> lane & 1});
    return differs == 0;
  }
  Allocation& memory() { return *memory_; }  // of the latest handle
  const std::byte* first() const { return memory_->host.get() + (texels_->address - memory_->base); }

 private:
  Message wrong_handle(std::uint64_t handle, bool is_known) const {
    if (is_known)
      return surfaces_ ? msg::surface_handle_wrong_kind(Address{handle})
                       : msg::texture_handle_wrong_kind(Address{handle});
    return surfaces_ ? msg::surface_handle_unknown(Address{handle})
                     : msg::texture_handle_unknown(Address{handle});
  }

  void look_up(std::uint64_t handle, int lane) {
    const TextureTable* table = warp_.launch->textures;
    const BoundTexels* found = table ? table->find(handle) : nullptr;
    if (!found || found->is_surface != surfaces_)
      refuse(inst_, warp_, lane, wrong_handle(handle, found != nullptr),
             surfaces_ ? msg::advice_surface_handle() : msg::advice_texture_handle());
    memory_ = warp_.launch->memory->find(found->address);
    if (!memory_ || found->address + found->grid.bytes() > memory_->end())
      refuse(inst_, warp_, lane, surfaces_ ? msg::surface_memory_freed() : msg::texture_memory_freed(),
             surfaces_ ? msg::advice_surface_memory() : msg::advice_texture_memory());
    handle_ = handle;
    texels_ = found;
  }

  const Inst* inst_;
  const Warp& warp_;
  bool surfaces_;
  std::uint64_t handle_ = 0;
  const BoundTexels* texels_ = nullptr;
  Allocation* memory_ = nullptr;
};

// ---- textures ----------------------------------------------------------------------------------------
std::array<float, 3> gradient_of(const TextureOp& op, std::size_t which, const Warp& warp, int lane) {
  std::array<float, 3> gradient{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(op.dimensions); ++d)
    gradient[d] = lanes_at<const float>(warp, op.gradients[which][d])[lane];
  return gradient;
}

// As measured on an H100, a fetch without an explicit level is not biased either.
LevelChoice level_of(const TextureOp& op, const BoundTexels& texels, const Warp& warp, int lane) {
  const LevelSampling& sampling = texels.level_sampling;
  const std::size_t levels = texels.levels.size();
  if (op.level_from == LevelFrom::kFirst) return choose_level(sampling, 0, 0, levels);
  const float level =
      op.level_from == LevelFrom::kOperand
          ? lanes_at<const float>(warp, op.level)[lane]
          : level_of_gradients(texels.grid, gradient_of(op, 0, warp, lane), gradient_of(op, 1, warp, lane));
  return choose_level(sampling, level, sampling.bias, levels);
}

Taps taps_of(const TextureOp& op, const BoundTexels& texels, const Warp& warp, int lane) {
  std::uint32_t layer = layer_of(op, warp, lane);
  auto at = coordinates_of<float>(op, warp, lane);
  if (op.is_cube) {
    const CubePlace place = place_on_cube(at);
    const auto cubes = static_cast<std::uint32_t>(texels.grid.layers / kCubeFaces);
    layer = std::min(layer, std::max(cubes, 1u) - 1) * kCubeFaces + place.face;
    at = place.at;
  }
  if (op.has_float_coordinates && !texels.levels.empty())
    return find_taps_in_levels(texels.levels, texels.sampling, level_of(op, texels, warp, lane), at, layer);
  if (op.has_float_coordinates) return find_taps(texels.grid, texels.sampling, at, layer);
  return find_texel(texels.grid, coordinates_of<std::int32_t>(op, warp, lane), layer);
}

// Reports a warp's texel reads to the checks, in whole granules: first the first texel of each lane, then the
// second of each, and so on.
class ObservedTexels {
 public:
  ObservedTexels(const Inst* inst, Warp& warp) : inst_(inst), warp_(warp) {}

  void add(int lane, const BoundTexels& texels, const Allocation& memory, const Taps& taps) {
    if (!warp_.observed) return;
    for (std::size_t i = 0; i < taps.all().size(); ++i)
      if (!taps.tap[i].is_outside && taps.tap[i].weight != 0)
        add(lane, texels, memory, i, taps.tap[i].offset);
  }
  void add(int lane, const BoundTexels& texels, const Allocation& memory, std::size_t tap,
           std::size_t offset) {
    if (&texels != texels_) begin(texels);
    const std::uint64_t address = (texels.address + offset) & ~(granule_bytes() - 1);
    if (address + static_cast<std::uint64_t>(info_.bytes_per_lane) > memory.end()) return;
    taps_[tap].lanes |= 1u << lane;
    taps_[tap].address[static_cast<std::size_t>(lane)] = address;
  }
  void end() {
    for (LanesOfTap& tap : taps_)
      if (const std::uint32_t lanes = std::exchange(tap.lanes, 0)) show(tap.address, lanes);
  }

 private:
  struct LanesOfTap {
    std::uint32_t lanes = 0;
    LaneAddresses address;
  };
  std::uint64_t granule_bytes() const { return 1ull << warp_.launch->checks.granule_shift; }

  void begin(const BoundTexels& texels) {
    end();
    texels_ = &texels;
    info_ = *warp_.sites[inst_->site].info;
    info_.bytes_per_lane =
        static_cast<int>(std::max<std::uint64_t>(granule_bytes(), texels.grid.format.bytes()));
  }
  void show(const LaneAddresses& addresses, std::uint32_t lanes) {
    const Pattern& shape = shape_of_access(warp_.sites[inst_->site], addresses, lanes, info_.bytes_per_lane);
    observe_texels(inst_, warp_, info_, shape, addresses[static_cast<std::size_t>(std::countr_zero(lanes))]);
  }

  const Inst* inst_;
  Warp& warp_;
  const BoundTexels* texels_ = nullptr;
  SiteInfo info_;
  std::array<LanesOfTap, std::tuple_size_v<decltype(Taps::tap)>> taps_;
};

// The location on a GPU of the texels that a warp reads: arrays of more than one dimension are tiled, with 32
// bytes by 4 rows per line.
class TracedTexels {
 public:
  explicit TracedTexels(const Warp& warp) : trace_(warp.trace) {
    if (trace_) trace_->texels().clear();
  }
  void add(const BoundTexels& texels, const Taps& taps) {
    if (!trace_) return;
    for (const Tap& tap : taps.all())
      if (!tap.is_outside && tap.weight != 0)
        trace_->texels().push_back(texels.address + place_of(texels, tap.offset));
  }
  void add(const BoundTexels& texels, std::size_t offset) {
    if (trace_) trace_->texels().push_back(texels.address + place_of(texels, offset));
  }
  void add(std::uint64_t address) {
    if (trace_) trace_->texels().push_back(address);
  }
  void end(const Inst* inst, const Warp& warp) {
    if (trace_) trace_->add_texels(warp, warp.sites[inst->site]);
  }

 private:
  static std::uint64_t place_of(const BoundTexels& texels, std::uint64_t offset) {
    constexpr std::uint64_t kTileBytes = 32, kTileRows = 4;
    const std::uint64_t row_bytes = texels.grid.row_bytes;
    if (texels.grid.dimensions == 1 || row_bytes == 0) return offset;
    const std::uint64_t row = offset / row_bytes, column = offset % row_bytes;
    const std::uint64_t tiles = (row_bytes + kTileBytes - 1) / kTileBytes;
    return ((row / kTileRows * tiles + column / kTileBytes) * kTileRows + row % kTileRows) * kTileBytes +
           column % kTileBytes;
  }

  AccessTrace* trace_;
};

void put(const TextureOp& op, const Warp& warp, int lane, const Channels& channels) {
  for (std::size_t c = 0; c < channels.size(); ++c)
    lanes_at<std::uint32_t>(warp, op.values[c])[lane] = channels[c];
}

// Texels of linear memory by index, for all lanes of the warp together.
void fetch_by_index(const Inst* inst, Warp& warp, const TextureOp& op, Handles& handles) {
  const int first = std::countr_zero(warp.exec);
  const BoundTexels& texels = handles[first];
  if (!reads_texels(inst, warp, first, op, texels)) {
    for_each_lane(warp.exec, [&](int lane) { put(op, warp, lane, {}); });
    return;
  }
  std::array<std::int32_t, kWarpSize> index;  // copied, because a channel may overwrite the index register
  std::copy_n(lanes_at<const std::int32_t>(warp, op.coordinates[0]), kWarpSize, index.begin());
  if (warp.observed || warp.trace) {
    TracedTexels traced(warp);
    ObservedTexels observed(inst, warp);
    for_each_lane(warp.exec, [&](int lane) {
      const auto at = static_cast<std::uint32_t>(index[lane]);
      if (at >= texels.grid.extent[0]) return;
      const std::size_t offset = texels.grid.offset(at, 0, 0);
      traced.add(texels.address + offset);
      if (warp.observed) observed.add(lane, texels, handles.memory(), 0, offset);
    });
    traced.end(inst, warp);
    observed.end();
  }
  std::array<std::uint32_t*, 4> channels;
  for (std::size_t c = 0; c < channels.size(); ++c) channels[c] = lanes_at<std::uint32_t>(warp, op.values[c]);
  fetch_texels(texels.grid, texels.sampling.read, handles.first(), index.data(), warp.exec, channels);
}

// Whether each lane reads the texel nearest to its coordinates in a row or plane, the same for all lanes.
bool reads_nearest(const TextureOp& op, const BoundTexels& texels) {
  return op.has_float_coordinates && op.dimensions <= 2 && !op.is_layered && texels.grid.dimensions <= 2 &&
         texels.grid.layers == 0 && !texels.is_linear_memory && texels.levels.empty() &&
         takes_one_texel(texels.grid, texels.sampling);
}

// The nearest texels of all lanes of the warp together.
void fetch_nearest(const Inst* inst, Warp& warp, const TextureOp& op, Handles& handles,
                   const BoundTexels& texels) {
  std::array<std::size_t, kWarpSize> offsets;
  find_nearest(texels.grid, texels.sampling,
               {lanes_at<const float>(warp, op.coordinates[0]),
                op.dimensions == 2 ? lanes_at<const float>(warp, op.coordinates[1]) : nullptr},
               warp.exec, offsets.data());
  if (warp.observed || warp.trace) {
    TracedTexels traced(warp);
    ObservedTexels observed(inst, warp);
    for_each_lane(warp.exec, [&](int lane) {
      if (offsets[lane] == kOutsideTexture) return;
      traced.add(texels, offsets[lane]);
      if (warp.observed) observed.add(lane, texels, handles.memory(), 0, offsets[lane]);
    });
    traced.end(inst, warp);
    observed.end();
  }
  const Channels border = border_colour(texels.grid.format, texels.sampling);
  const std::byte* first = handles.first();
  for_each_lane(warp.exec, [&](int lane) {
    put(op, warp, lane,
        offsets[lane] == kOutsideTexture
            ? border
            : unpack_texel(texels.grid.format, texels.sampling.read, first + offsets[lane]));
  });
}

// Reports the coordinates of all lanes if the launch records uses.
void note_coordinates(const Inst* inst, const Warp& warp, const TextureOp& op, Handles& handles) {
  if (!warp.observed || !warp.launch->request->options.record_uses) return;
  for_each_lane(warp.exec, [&](int lane) {
    std::array<double, 3> at{};
    if (op.has_float_coordinates)
      std::ranges::copy(coordinates_of<float>(op, warp, lane), at.begin());
    else
      std::ranges::copy(coordinates_of<std::int32_t>(op, warp, lane), at.begin());
    observe_fetch(inst, warp, handles[lane], at);
  });
}

const Inst* fetch(const Inst* inst, Warp& warp) {
  const TextureOp& op = op_of(inst, warp);
  count_request(inst, warp);
  Handles handles(inst, warp, false);
  note_coordinates(inst, warp, op, handles);
  if (warp.exec && op.has_float_coordinates && handles.are_same())
    if (const BoundTexels& texels = handles[std::countr_zero(warp.exec)]; reads_nearest(op, texels)) {
      fetch_nearest(inst, warp, op, handles, texels);
      return inst + 1;
    }
  if (warp.exec && reads_by_index(op) && handles.are_same()) {
    fetch_by_index(inst, warp, op, handles);
    return inst + 1;
  }
  TracedTexels traced(warp);
  ObservedTexels observed(inst, warp);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const BoundTexels& texels = handles[lane];
    if (!reads_texels(inst, warp, lane, op, texels)) {
      put(op, warp, lane, {});
      continue;
    }
    const Taps taps = taps_of(op, texels, warp, lane);
    traced.add(texels, taps);
    observed.add(lane, texels, handles.memory(), taps);
    const bool is_nothing = !op.has_float_coordinates && taps.tap[0].is_outside;
    put(op, warp, lane, is_nothing ? Channels{} : mix(texels.grid, texels.sampling, taps, handles.first()));
  }
  traced.end(inst, warp);
  observed.end();
  return inst + 1;
}

const Inst* gather(const Inst* inst, Warp& warp) {
  const TextureOp& op = op_of(inst, warp);
  count_request(inst, warp);
  Handles handles(inst, warp, false);
  TracedTexels traced(warp);
  ObservedTexels observed(inst, warp);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const BoundTexels& texels = handles[lane];
    if (!has_shape_of(op, texels.grid)) refuse_shape(inst, warp, lane, op, texels);
    if (!texels.can_gather)
      refuse(inst, warp, lane, msg::texture_gather_unsupported(), msg::advice_array_texture_gather(),
             name_of(warp, texels));
    const Taps taps = find_gathered(texels.grid, texels.sampling, coordinates_of<float>(op, warp, lane),
                                    layer_of(op, warp, lane));
    traced.add(texels, taps);
    observed.add(lane, texels, handles.memory(), taps);
    Channels gathered;
    for (std::size_t i = 0; i < gathered.size(); ++i) {
      Taps one;
      one.tap[0] = taps.tap[i];
      one.count = 1;
      gathered[i] = mix(texels.grid, texels.sampling, one, handles.first())[op.channel];
    }
    put(op, warp, lane, gathered);
  }
  traced.end(inst, warp);
  observed.end();
  return inst + 1;
}

const Inst* query(const Inst* inst, Warp& warp) {
  Handles handles(inst, warp, inst->b.bits != 0);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const TexelGrid& grid = handles[lane].grid;
    const auto asked = static_cast<TextureQuery>(inst->imm);
    const std::size_t answer = asked == TextureQuery::kLayers ? grid.layers
                               : static_cast<int>(asked) < grid.dimensions
                                   ? grid.extent[static_cast<std::size_t>(asked)]
                                   : 0;
    lanes_at<std::uint32_t>(warp, inst->d)[lane] = static_cast<std::uint32_t>(answer);
  }
  return inst + 1;
}

// ---- surfaces ----------------------------------------------------------------------------------------
// x is in bytes, the others in rows and slices.
struct SurfacePlace {
  std::array<std::int64_t, 3> at{};
  std::uint32_t layer = 0;
};

std::array<std::int64_t, 3> sizes_of(const BoundTexels& texels) {
  const TexelGrid& grid = texels.grid;
  return {static_cast<std::int64_t>(grid.extent[0] * grid.format.bytes()),
          static_cast<std::int64_t>(grid.extent[1]), static_cast<std::int64_t>(grid.extent[2])};
}

bool is_inside(const SurfacePlace& place, const BoundTexels& texels, std::size_t bytes) {
  const auto sizes = sizes_of(texels);
  if (place.at[0] < 0 || place.at[0] + static_cast<std::int64_t>(bytes) > sizes[0]) return false;
  if (texels.grid.layers && place.layer >= texels.grid.layers) return false;
  return place.at[1] >= 0 && place.at[1] < sizes[1] && place.at[2] >= 0 && place.at[2] < sizes[2];
}

SurfacePlace clamped(SurfacePlace place, const BoundTexels& texels, std::size_t bytes) {
  auto most = sizes_of(texels);
  most[0] -= static_cast<std::int64_t>(bytes);
  most[1] -= 1, most[2] -= 1;
  for (std::size_t d = 0; d < 3; ++d)
    place.at[d] = std::clamp<std::int64_t>(place.at[d], 0, std::max<std::int64_t>(most[d], 0));
  if (texels.grid.layers)
    place.layer = std::min<std::uint32_t>(place.layer, static_cast<std::uint32_t>(texels.grid.layers - 1));
  return place;
}

[[noreturn]] void refuse_outside(const Inst* inst, const Warp& warp, int lane, const TextureOp& op,
                                 const BoundTexels& texels, const SurfacePlace& place, AccessMode mode) {
  const auto sizes = sizes_of(texels);
  Message where = msg::surface_byte(place.at[0]), extent = msg::surface_rows(sizes[0]);
  const auto add_dimension = [&](auto one, auto many, auto at, auto size) {
    where = one(where, at);
    extent = many(size, extent);
  };
  if (op.dimensions > 1) add_dimension(msg::surface_in_row, msg::surface_row_count, place.at[1], sizes[1]);
  if (op.dimensions > 2) add_dimension(msg::surface_in_slice, msg::surface_slices, place.at[2], sizes[2]);
  if (op.is_layered)
    add_dimension(msg::surface_in_layer, msg::surface_layers, place.layer, texels.grid.layers);
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kOutOfBounds);
  hazard.buffer = name_of(warp, texels);
  hazard.what = msg::surface_outside(verb_of(mode == AccessMode::kRead ? mode : AccessMode::kWrite),
                                     op.access_bytes(), where, extent);
  hazard.fix = msg::advice_surface_bytes();
  hazard.cuda_error = "CUDA_ERROR_LAUNCH_FAILED";
  throw KernelFault{std::move(hazard)};
}

// The address of a lane's bytes in the surface; nullptr if the access is skipped.
std::byte* locate(const Inst* inst, Warp& warp, int lane, Handles& handles, AccessMode mode) {
  const TextureOp& op = op_of(inst, warp);
  const BoundTexels& texels = handles[lane];
  if (!finds_bytes(op, texels.grid)) {
    if (op.boundary == BoundaryMode::kTrap) refuse_shape(inst, warp, lane, op, texels);
    report_zeros(inst, warp, lane, texels, wrong_shape(op, texels), msg::advice_texture_function());
    return nullptr;
  }
  const auto at = coordinates_of<std::int32_t>(op, warp, lane);
  SurfacePlace place{{at[0], at[1], at[2]}, texels.grid.layers ? layer_of(op, warp, lane) : 0};
  if (!is_inside(place, texels, op.access_bytes())) {
    if (op.boundary == BoundaryMode::kTrap) refuse_outside(inst, warp, lane, op, texels, place, mode);
    if (op.boundary == BoundaryMode::kZero) return nullptr;
    place = clamped(place, texels, op.access_bytes());
    if (!is_inside(place, texels, op.access_bytes())) return nullptr;  // wider than a row
  }
  const std::size_t slice = static_cast<std::size_t>(place.at[2]) + place.layer;
  const std::uint64_t address = texels.address + slice * texels.grid.slice_bytes +
                                static_cast<std::size_t>(place.at[1]) * texels.grid.row_bytes +
                                static_cast<std::size_t>(place.at[0]);
  const SiteState& site = warp.sites[inst->site];
  std::byte* host = locate_lane(inst, warp, site, lane, address, mode);
  if (warp.observed) observe_lane(inst, warp, *site.info, lane, address, mode);
  return host;
}

const Inst* read_surface(const Inst* inst, Warp& warp) {
  const TextureOp& op = op_of(inst, warp);
  count_request(inst, warp);
  Handles handles(inst, warp, true);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::byte* from = locate(inst, warp, lane, handles, AccessMode::kRead);
    for (std::size_t v = 0; v < static_cast<std::size_t>(op.value_count); ++v) {
      std::byte* to =
          lanes_at<std::byte>(warp, op.values[v]) + static_cast<std::size_t>(lane) * op.value_bytes;
      if (from)
        std::memcpy(to, from + v * op.value_bytes, op.value_bytes);
      else
        std::memset(to, 0, op.value_bytes);
    }
  }
  return inst + 1;
}

const Inst* write_surface(const Inst* inst, Warp& warp) {
  const TextureOp& op = op_of(inst, warp);
  count_request(inst, warp);
  Handles handles(inst, warp, true);
  for (std::uint32_t left = warp.exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* to = locate(inst, warp, lane, handles, AccessMode::kWrite);
    if (!to) continue;
    for (std::size_t v = 0; v < static_cast<std::size_t>(op.value_count); ++v)
      std::memcpy(
          to + v * op.value_bytes,
          lanes_at<const std::byte>(warp, op.values[v]) + static_cast<std::size_t>(lane) * op.value_bytes,
          op.value_bytes);
  }
  return inst + 1;
}

void add(OpcodeTable& table, const char* name, Handler run) {
  table.add(name, Shape::kInternal, ptx::Type::kNone, 0, {}, run);
}

}  // namespace

void add_texture_rows(OpcodeTable& table) {
  add(table, "tex", &fetch);
  add(table, "tld4", &gather);
  add(table, "txq", &query);
  add(table, "suld", &read_surface);
  add(table, "sust", &write_surface);
}

}  // namespace cudalab::vgpu
