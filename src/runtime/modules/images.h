// Device code that a program loads at run time: PTX text, a fat binary, or the result of linking.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::runtime {

// Self-contained device code; the program may free its own copy after loading.
struct Image {
  std::vector<std::string> ptx;         // texts, which are linked
  std::vector<std::string> containers;  // fat binaries, whose PTX is linked
  bool is_machine_code = false;         // a cubin, which the virtual GPU cannot run
};

// Copies the code at an address, whose first bytes say what it is and how long. Throws
// Failure(cudaErrorInvalidKernelImage) if they are unknown, and Error(kUsage) for a damaged fat binary.
Image image_at(const void* address);

// The parts of an image as bytes that image_at() reads: what cuLinkComplete returns.
std::string linked_image(const Image& image);

// Throws Failure if a GPU rejects a PTX text for its .version or its .target: cudaErrorUnsupportedPtxVersion,
// cudaErrorInvalidPtx. `architecture` is that of the GPU, such as 90.
void require_ptx_for(std::string_view target, int version_major, int version_minor, int architecture);

}  // namespace cudalab::runtime
