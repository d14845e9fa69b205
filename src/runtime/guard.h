// Detects conflicts between the host and queued work over memory that both can reach. Pages that queued work
// uses are protected from the host. An early access faults, is recorded, and proceeds. After the work has
// run, the guard knows whether the two disturbed each other. A page that is only partly registered
// (cudaHostRegister) also holds other data of the program, so it is not protected: its registered bytes are
// copied and compared, which detects the host's writes but not its reads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/programs/program_record.h"
#include "runtime/memory.h"
#include "runtime/streams/queue.h"

namespace cudalab::runtime {

// An access by the host to a protected page.
struct Touch {
  std::uint64_t address = 0;
  bool is_write = false;
  std::uint64_t up_to = 0;  // work with higher numbers was queued after the access
  CallSite from;
  std::array<std::byte, 8> seen{};  // the bytes at the address at that time
  bool is_by_contents = false;      // found by comparing bytes, after the call at `from` that queued work
  bool is_again = false;            // the page is protected again, to find out whether the host returns
  int times = 1;
  // Whether the running work accesses the page (if is_by_contents: the byte).
  bool is_read_by_work = false, is_written_by_work = false;
};

class Guard {
 public:
  explicit Guard(const Memory& memory) : memory_(&memory) {}

  // Called at the end of every API call. Protects the pages that queued work uses.
  void close(const Queue& queue);
  // Called before and after each piece of work runs.
  void before(const Work& work);
  std::vector<HostMistake> after(const Work& work, const std::vector<vgpu::TouchedSpan>& touched,
                                 bool is_anything_queued);
  // Whether the guard needs the list of bytes that the next kernel touches.
  bool wants_touched() const { return wants_touched_; }

  // Called by the fault handler. Returns whether the guard protects the page, which is accessible afterwards.
  // `is_own`: the access is by the runtime or the interpreter, not by the program.
  bool take_fault(std::uint64_t address, bool is_write, bool is_own);
  // Makes memory accessible that a system call is about to use: a system call on a protected page does not
  // fault, it fails.
  void open_for_system_call(std::uint64_t address, std::size_t bytes, bool is_write, bool is_own);

  // For the thread that watches a host that makes no calls. close_again() protects the pages that the host
  // touched; polled() returns an access that the host keeps repeating.
  void close_again();
  std::optional<Touch> polled();
  void forget();  // all recorded accesses
  bool has_changed(const Touch& touch) const;

 private:
  struct Span {
    std::size_t readers = 0, others = 0;  // how many queued uses of each kind
    std::uint64_t window = 1;             // pages that the next fault makes accessible
  };
  using Pages = std::pair<std::uint64_t, std::uint64_t>;  // addresses of the first page and of the end
  // A queued use that is counted in a span.
  struct Held {
    Pages pages;
    bool is_readable = false;
  };
  // The registered bytes of a page that also holds other data.
  struct Fragment {
    std::vector<std::byte> contents;
    CallSite queued_from;
  };

  Pages pages_of(const MemoryUse& use) const;
  void hold(const Work& work);
  // Returns whether other queued work still holds the pages with the same protection.
  bool release(const Held& use);
  void add_fragments(const MemoryUse& use);
  void add_fragment(std::uint64_t from, std::uint64_t to);
  void note_changes();
  void keep_contents();
  std::vector<std::map<Pages, Span>::iterator> spans_over(Pages pages);
  void open(Pages pages);
  void open_uses(const Work& work);
  void open_all();
  void close_pages(Pages pages);
  bool note(std::uint64_t address, bool is_write);
  Touch* touch_at(std::uint64_t address, bool is_write);
  std::optional<HostMistake> mistake(const Touch& touch, const Work& work) const;

  const Memory* memory_;
  std::map<Pages, Span> spans_;
  std::uint64_t longest_ = 0;                           // bytes of the longest span
  std::map<std::uint64_t, std::vector<Held>> held_by_;  // by the number of the work
  // Pages to protect again: at the end of the current call, and at the end of the call in which the next work
  // runs.
  std::vector<Pages> open_, open_to_host_;
  std::map<Pages, Fragment> fragments_;
  std::set<std::uint64_t> evidence_;  // pages protected from the running work
  std::vector<Touch> touches_;
  std::uint64_t known_number_ = 0;
  bool is_stale_ = false;  // queued work may lack fragments
  bool wants_touched_ = false;
  std::atomic<bool> is_closed_ = false;
  // A fault handler may hold it, so its holder must not access guarded memory.
  mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

// The host memory that a kernel may access: what its arguments point to, what pointers in that managed memory
// point to, and all __managed__ variables.
std::vector<MemoryUse> memory_of_arguments(const Memory& memory, const std::vector<std::byte>& arguments);

}  // namespace cudalab::runtime
