#include "compile/sources/removed_apis.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace cudalab::compile {
namespace {

// A name, or the beginning of several: "cudaBindTexture*". The error must have `with` in it, too.
struct Removed {
  std::string_view name, with, advice;
};

constexpr std::string_view kTexture =
    "texture references were removed in CUDA 12: give the kernel a cudaTextureObject_t "
    "(cudaCreateTextureObject) "
    "and read it with tex1Dfetch<float>(object, i) or tex2D<float>(object, x, y)";
constexpr std::string_view kSurface =
    "surface references were removed in CUDA 12: give the kernel a cudaSurfaceObject_t "
    "(cudaCreateSurfaceObject)";
constexpr std::string_view kShuffle =
    "shuffles without _sync are gone since compute capability 7.0: write "
    "__shfl_down_sync(0xffffffff, value, 1), whose mask names the lanes that take part";
constexpr std::string_view kVote =
    "votes without _sync are gone since compute capability 7.0: write __ballot_sync(0xffffffff, predicate), "
    "whose mask names the lanes that take part";
constexpr std::string_view kReduction =
    "CUB's operators were removed in CUDA 13: use cuda::maximum<>{}, cuda::minimum<>{} or "
    "cuda::std::plus<>{} of "
    "<cuda/functional>";
constexpr std::string_view kAttribute =
    "it was removed from cudaDeviceProp in CUDA 13: ask cudaDeviceGetAttribute, as for cudaDevAttrClockRate";
constexpr std::string_view kChildren =
    "a kernel cannot wait for kernels that it launched since CUDA 12: launch what comes behind them "
    "into cudaStreamTailLaunch";
constexpr std::string_view kLaunch =
    "it was removed in CUDA 10: launch with kernel<<<grid, block>>>(…) or cudaLaunchKernel";
constexpr std::string_view kMultiDevice =
    "groups of several devices were removed in CUDA 13: synchronise within one device (this_grid), "
    "and with events between devices";
constexpr std::string_view kBaseClass =
    "it was removed from Thrust in CUDA 13: a functor needs no base class";
constexpr std::string_view kToArray =
    "it was removed in CUDA 12: cudaMemcpy2DToArray copies rows into an array";
constexpr std::string_view kFromArray =
    "it was removed in CUDA 12: cudaMemcpy2DFromArray copies rows from an array";

// The first row that fits counts.
constexpr std::array<Removed, 37> kRemoved{{
    // clang-format off
    {"texture", "is not a template", kTexture},
    {"texture", "undefined", kTexture},
    {"textureReference", "", kTexture},
    {"cudaReadModeElementType", "undefined", kTexture},
    {"cudaBindTexture*", "", kTexture},
    {"cudaUnbindTexture", "", kTexture},
    {"cudaGetTextureReference", "", kTexture},
    {"surface", "is not a template", kSurface},
    {"surface", "undefined", kSurface},
    {"surfaceReference", "", kSurface},
    {"cudaBindSurface*", "", kSurface},
    {"__shfl", "", kShuffle},
    {"__shfl_up", "", kShuffle},
    {"__shfl_down", "", kShuffle},
    {"__shfl_xor", "", kShuffle},
    {"__ballot", "", kVote},
    {"__any", "", kVote},
    {"__all", "", kVote},
    {"cudaDeviceSynchronize", "", kChildren},
    {"cudaThreadSynchronize", "", "it is called cudaDeviceSynchronize now"},
    {"cudaThreadExit", "", "it is called cudaDeviceReset now"},
    {"cudaMemcpyToArray", "", kToArray},
    {"cudaMemcpyFromArray", "", kFromArray},
    {"cudaConfigureCall", "", kLaunch},
    {"cudaSetupArgument", "", kLaunch},
    {"this_multi_grid", "", kMultiDevice},
    {"multi_grid_group", "", kMultiDevice},
    {"Max", "\"cub\"", kReduction},
    {"Min", "\"cub\"", kReduction},
    {"Sum", "\"cub\"", kReduction},
    {"unary_function", "", kBaseClass},
    {"binary_function", "", kBaseClass},
    {"clockRate", "cudaDeviceProp", kAttribute},
    {"memoryClockRate", "cudaDeviceProp", kAttribute},
    {"computeMode", "cudaDeviceProp", kAttribute},
    {"deviceOverlap", "cudaDeviceProp", kAttribute},
    {"kernelExecTimeoutEnabled", "cudaDeviceProp", kAttribute},
    // clang-format on
}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool names(std::string_view error, std::string_view name) {
  const bool is_beginning = name.ends_with('*');
  if (is_beginning) name.remove_suffix(1);
  for (std::size_t at = error.find(name); at != std::string_view::npos; at = error.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word(error[at - 1]);
    if (begins && (is_beginning || end == error.size() || !is_word(error[end]))) return true;
  }
  return false;
}

}  // namespace

std::string advice_on_removed(std::string_view error) {
  const std::size_t text = error.find("error: ");  // not the file's name before it
  if (text != std::string_view::npos) error.remove_prefix(text);
  for (const Removed& row : kRemoved)
    if (names(error, row.name) && error.find(row.with) != std::string_view::npos)
      return fmt::format("; {}", row.advice);
  return "";
}

}  // namespace cudalab::compile
