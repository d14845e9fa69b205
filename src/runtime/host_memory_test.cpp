// Tests which host memory counts as mapped, and which as untouched.
#include "runtime/host_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace cudalab::runtime {
namespace {

const auto kHostPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

// Maps four pages and unmaps the last one.
class HostMemory : public testing::Test {
 protected:
  void SetUp() override {
    void* const pages =
        ::mmap(nullptr, 4 * kHostPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    address = reinterpret_cast<std::uint64_t>(pages);
    ::munmap(reinterpret_cast<void*>(address + 3 * kHostPage), kHostPage);
  }
  void TearDown() override { ::munmap(reinterpret_cast<void*>(address), 3 * kHostPage); }

  std::uint64_t address = 0;
};

TEST_F(HostMemory, IsMappedUpToTheFirstGap) {
  EXPECT_EQ(mapped_bytes(address + 8, 3 * kHostPage - 8), 3 * kHostPage - 8);
  EXPECT_EQ(mapped_bytes(address + 8, 5 * kHostPage), 3 * kHostPage - 8);
  EXPECT_EQ(mapped_bytes(address + 3 * kHostPage, 16), 0u);
  EXPECT_EQ(mapped_bytes(address, 0), 0u);
}

// This test program calls mmap(), so its untouched pages may be intended zeros.
TEST_F(HostMemory, CountsNoUntouchedPagesIfTheProgramMayRelyOnZeros) {
  EXPECT_EQ(untouched_bytes(address, 3 * kHostPage), 0u);
}

}  // namespace
}  // namespace cudalab::runtime
