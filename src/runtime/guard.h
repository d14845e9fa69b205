// Memory that the host and queued work both reach. While work that uses it waits for its turn, its pages are
// closed to the host: a host that touches them all the same faults, is noted down, and goes on. When the work
// has run, it is known whether the two disturbed each other. Where registered memory shares a page with other
// data of the program's, its bytes are kept instead and compared: what the host writes is seen, not what it
// reads.
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

// The host's access to a closed page.
struct Touch {
  std::uint64_t address = 0;
  bool is_write = false;
  std::uint64_t up_to = 0;  // work with higher numbers was queued later
  CallSite from;
  std::array<std::byte, 8> seen{};  // what stood there then
  bool is_by_contents = false;      // seen by what changed, some time after `from` queued work
  bool is_again = false;            // closed once more, to see whether the host comes back
  int times = 1;
  bool is_read_by_work = false, is_written_by_work = false;  // the page or byte, by the work that runs
};

class Guard {
 public:
  explicit Guard(const Memory& memory) : memory_(&memory) {}

  // Behind every call of the API: closes what the work uses that is still queued.
  void close(const Queue& queue);
  // Around every piece of work that runs.
  void before(const Work& work);
  std::vector<HostMistake> after(const Work& work, const std::vector<vgpu::TouchedSpan>& touched,
                                 bool is_anything_queued);
  // Of the kernel that is about to run: whether it matters which bytes it touches.
  bool wants_touched() const { return wants_touched_; }

  // In the handler of a fault: whether the page was closed here; it is open then. `is_own`: the access is the
  // runtime's or the interpreter's. `close` told which work was queued last.
  bool take_fault(std::uint64_t address, bool is_write, bool is_own);
  // What a system call is about to use, which would not fault but fail.
  void open_for_system_call(std::uint64_t address, std::size_t bytes, bool is_write, bool is_own);

  // For who watches the host while it makes no calls: closes pages that it touched again; then a place that
  // the host keeps coming back to.
  void close_again();
  std::optional<Touch> polled();
  void forget();  // what the host touched
  bool has_changed(const Touch& touch) const;

 private:
  struct Span {
    std::size_t readers = 0, others = 0;  // uses by queued work
    std::uint64_t window = 1;             // pages that the next fault opens
  };
  using Pages = std::pair<std::uint64_t, std::uint64_t>;  // from, to
  // A queued use that counts in a span.
  struct Held {
    Pages pages;
    bool is_readable = false;
  };
  // Bytes in a page that is not all registered.
  struct Fragment {
    std::vector<std::byte> contents;
    CallSite queued_from;
  };

  Pages pages_of(const MemoryUse& use) const;
  void hold(const Work& work);
  void release(const Held& use);
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
  // Pages to close again: at the end of the call, and at the end of the call in which the next work runs.
  std::vector<Pages> open_, open_to_host_;
  std::map<Pages, Fragment> fragments_;
  std::set<std::uint64_t> evidence_;  // pages that are closed to the work that runs
  std::vector<Touch> touches_;
  std::uint64_t known_number_ = 0;
  bool is_stale_ = false;  // fragments of queued work were forgotten
  bool wants_touched_ = false;
  std::atomic<bool> is_closed_ = false;
  mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // a handler may hold it, never while memory is touched
};

// Which memory of the host a kernel may reach: what its arguments lead to, what pointers in managed memory
// lead to from there, and all __managed__ variables.
std::vector<MemoryUse> memory_of_arguments(const Memory& memory, const std::vector<std::byte>& arguments);

}  // namespace cudalab::runtime
