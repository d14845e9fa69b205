// Tests which pages are protected from the host while work is queued, and how often their protection changes.
#include "runtime/guard.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <utility>
#include <vector>

#include "runtime/records.h"
#include "vgpu/card.h"
#include "vgpu/vgpu.h"

namespace {

std::map<std::uint64_t, int> protections;  // by page: the last protection that was set
int changes = 0;

}  // namespace

// Replaces the C library's mprotect, to record each call.
extern "C" int mprotect(void* from, std::size_t bytes, int protection) noexcept {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  ++changes;
  for (std::size_t at = 0; at < bytes; at += page)
    protections[reinterpret_cast<std::uint64_t>(from) + at] = protection;
  return static_cast<int>(::syscall(SYS_mprotect, from, bytes, protection));
}

namespace cudalab::runtime {
namespace {

const auto kGuardPage = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
constexpr int kOpen = PROT_READ | PROT_WRITE;

class GuardOfPages : public testing::Test, public WorkWatch {
 protected:
  GuardOfPages() {
    auto* bytes = ::mmap(nullptr, kPages * kGuardPage, kOpen, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_.adopt({static_cast<std::byte*>(bytes), kPages * kGuardPage}, MemoryKind::kManaged, 0, 0, "m");
    begin_ = reinterpret_cast<std::uint64_t>(bytes);
  }
  void queued() override {}
  void before(const Work& work) override { guard_.before(work); }
  void after(const Work& work, const Outcome&) override { guard_.after(work, {}, queue_.pending() > 0); }

  // Queues work on a new stream.
  WorkRef queue(std::uint64_t from, std::uint64_t to, MemoryUse::Access access, bool is_kernel = false) {
    Job job{.name = "work", .run = [] { return Outcome{}; }, .is_kernel = is_kernel};
    job.uses = {{begin_ + from * kGuardPage, begin_ + to * kGuardPage, access}};
    const WorkRef work = queue_.enqueue(*queue_.create(0, false, 0), std::move(job));
    guard_.close(queue_);
    return work;
  }
  void wait(const WorkRef& work) {
    queue_.wait(work);
    guard_.close(queue_);
  }
  int protection(std::uint64_t page) const { return protections.at(begin_ + page * kGuardPage); }

  static constexpr std::uint64_t kPages = 512;
  vgpu::VirtualGpu gpu_{{.card = &vgpu::cards().front(), .first_address = kDeviceStart}};
  Records records_{{}};
  Memory memory_{gpu_, records_, gpu_.memory_bytes()};
  Guard guard_{memory_};
  Clock clock_;
  Queue queue_{clock_, *this};
  std::uint64_t begin_ = 0;
};

TEST_F(GuardOfPages, ProtectsAndOpensThePagesOfEachWorkOnce) {
  std::vector<WorkRef> queued;
  changes = 0;
  for (std::uint64_t i = 0; i < kPages; ++i) queued.push_back(queue(i, i + 1, MemoryUse::kUnknown));
  EXPECT_EQ(changes, kPages);
  for (const WorkRef& work : queued) wait(work);
  EXPECT_LE(changes, 3 * kPages);
  for (std::uint64_t i = 0; i < kPages; ++i) EXPECT_EQ(protection(i), kOpen);
}

// Many launches that each use a part of one allocation: opening all of it for each of them would take a time
// that is quadratic in their number.
TEST_F(GuardOfPages, StayProtectedWhileFurtherKernelsUseThem) {
  constexpr int kKernels = 100;
  std::vector<WorkRef> queued;
  for (int i = 0; i < kKernels; ++i) queued.push_back(queue(0, kPages, MemoryUse::kUnknown, true));
  changes = 0;
  for (const WorkRef& work : queued) {
    EXPECT_EQ(protection(kPages - 1), PROT_NONE);
    wait(work);
  }
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(protection(kPages - 1), kOpen);
}

TEST_F(GuardOfPages, KeepsPagesProtectedThatOtherWorkUses) {
  const WorkRef first = queue(0, 2, MemoryUse::kReads), last = queue(4, 6, MemoryUse::kReads);
  EXPECT_EQ(protection(0), PROT_READ);
  const WorkRef all = queue(0, 8, MemoryUse::kUnknown), again = queue(0, 8, MemoryUse::kUnknown);
  wait(first);
  EXPECT_EQ(protection(0), PROT_NONE);
  wait(all);
  EXPECT_EQ(protection(0), PROT_NONE);
  wait(again);
  EXPECT_EQ(protection(0), kOpen);
  EXPECT_EQ(protection(5), PROT_READ);
  wait(last);
  EXPECT_EQ(protection(5), kOpen);
}

// Reading is not permitted if other queued work will write the page.
TEST_F(GuardOfPages, AreNotOpenedByALaterRead) {
  const WorkRef kernel = queue(0, 8, MemoryUse::kUnknown), copy = queue(2, 4, MemoryUse::kReads);
  EXPECT_EQ(protection(2), PROT_NONE);
  wait(kernel);
  EXPECT_EQ(protection(2), PROT_READ);
  wait(copy);
}

TEST_F(GuardOfPages, AreProtectedAgainAfterAFaultOfTheRuntime) {
  const WorkRef work = queue(0, 8, MemoryUse::kUnknown);
  EXPECT_TRUE(guard_.take_fault(begin_, false, true));
  EXPECT_EQ(protection(0), kOpen);
  guard_.close(queue_);
  EXPECT_EQ(protection(0), PROT_NONE);
  wait(work);
  EXPECT_FALSE(guard_.take_fault(begin_, false, true));
}

}  // namespace
}  // namespace cudalab::runtime
