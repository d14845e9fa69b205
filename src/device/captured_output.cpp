// Redirects file descriptor 1 to an anonymous file in memory.
#include "device/captured_output.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "vgpu/block.h"

namespace cudalab::device {
namespace {

constexpr std::size_t kMostBytes = vgpu::PrintLog::kMostBytes;  // the same limit as on the virtual GPU

}  // namespace

CapturedOutput::CapturedOutput() {
  std::fflush(stdout);
  memory_ = memfd_create("kernel-output", MFD_CLOEXEC);
  if (memory_ >= 0) original_ = dup(STDOUT_FILENO);
  if (original_ >= 0) dup2(memory_, STDOUT_FILENO);
}

CapturedOutput::~CapturedOutput() {
  restore();
  if (memory_ >= 0) close(memory_);
}

void CapturedOutput::restore() {
  if (original_ < 0) return;
  std::fflush(stdout);
  dup2(original_, STDOUT_FILENO);
  close(original_);
  original_ = -1;
}

std::string CapturedOutput::take() {
  restore();
  if (memory_ < 0) return {};
  std::string text(kMostBytes, '\0');
  const ssize_t length = pread(memory_, text.data(), text.size(), 0);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

}  // namespace cudalab::device
