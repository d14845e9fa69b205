// Guards memory that the host and queued work share: protects its pages while work is pending, and handles
// the faults.
#include "runtime/guard.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/alignment.h"
#include "messages/runtime.h"
#include "runtime/modules/modules.h"
#include "runtime/records.h"
#include "runtime/runtime.h"
#include "vgpu/interpreter_thread.h"

namespace cudalab::runtime {

// The handler of SIGSEGV. If the host dereferences a device pointer, it crashes as on a real GPU, but first
// the handler reports which pointer it was.

namespace {

struct sigaction before, before_division;  // the handlers of SIGSEGV and SIGFPE that stood there

// If a program passes memory of CUDA to free(), free() reads the C library's header, at most this many bytes
// in front of it.
constexpr std::uint64_t kBeforeMemory = 16;

Message name_of_memory(std::uint64_t address) {
  const Memory& memory = the_runtime().memory;
  if (const MemoryBlock* block = memory.find(address))
    return msg::byte_of_memory(address - block->address, Code{block->name});
  if (const MemoryBlock* freed = memory.freed_at(address))
    return msg::memory_that_was_freed(Code{freed->name});
  if (const MemoryBlock* next = memory.find(address + kBeforeMemory))
    return msg::bytes_before_memory(next->address - address, Code{next->name});
  return msg::no_memory_of_program();
}

// Reports an access just before or after memory that the host may use, with the cause and the fix. Returns
// whether there is such memory.
bool tell_of_memory_beside(std::uint64_t address) {
  constexpr std::uint64_t kBehindMemory = 4096;
  const std::map<std::uint64_t, MemoryBlock>& blocks = the_runtime().memory.blocks();
  const auto next = blocks.upper_bound(address);
  if (next != blocks.end() && next->second.is_on_host() && next->first - address <= kBeforeMemory) {
    report_mistake(MistakeKind::kBeyondTheEnd,
                   msg::host_reaches_before_memory(next->first - address, Code{next->second.name}),
                   msg::advice_free_host_memory());
    return true;
  }
  if (next == blocks.begin()) return false;
  const MemoryBlock& block = std::prev(next)->second;
  const bool is_behind =
      block.is_on_host() && address >= block.end() && address - block.end() < kBehindMemory;
  if (is_behind)
    report_mistake(MistakeKind::kBeyondTheEnd,
                   msg::host_reaches_beyond_end(address - block.address, Code{block.name}, block.bytes),
                   msg::advice_check_index_or_allocate());
  return is_behind;
}

// Whether the faulting access is a write. Assumes so if the processor does not say, because a write is the
// graver mistake.
bool is_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  return true;
#endif
}

// Reports the line of a fault that ends the program, unless the program handles faults itself.
void tell_of_crash(std::uint64_t address, bool is_write, bool is_own) {
  constexpr std::uint64_t kNullPage = 4096;
  const bool is_handled =
      (before.sa_flags & SA_SIGINFO) || (before.sa_handler != SIG_DFL && before.sa_handler);
  if (is_own || is_handled) return;
  if (address < kNullPage)
    report_mistake(MistakeKind::kHostCrash, msg::host_follows_null(Address{address}),
                   msg::advice_check_host_pointers());
  else
    report_mistake(
        MistakeKind::kHostCrash,
        is_write ? msg::host_writes_nowhere(Address{address}) : msg::host_reads_nowhere(Address{address}),
        msg::advice_check_host_arrays());
}

// Whether the runtime, and not the program, executes the instruction. Libraries compute on threads of their
// own.
bool is_of_runtime() {
  return this_thread().calls > 0 || vgpu::is_interpreter_thread || the_runtime().is_library_computing;
}

// The handler reports the access. The fault then ends the program.
void on_fault(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const bool is_own = is_of_runtime();
  if (the_runtime().guard.take_fault(address, is_write(context), is_own)) return;
  if (is_device_address(address) || is_device_address(address + kBeforeMemory))
    report_mistake(MistakeKind::kHostReadOfDeviceMemory,
                   msg::host_follows_device_pointer(Address{address}, name_of_memory(address)),
                   msg::advice_copy_to_host());
  else if (const MemoryBlock* freed = the_runtime().memory.freed_at(address))
    report_mistake(MistakeKind::kUseAfterFree, msg::host_reaches_freed_memory(Code{freed->name}),
                   msg::advice_free_behind_last_use());
  else if (!tell_of_memory_beside(address))
    tell_of_crash(address, is_write(context), is_own);
  ::sigaction(SIGSEGV, &before, nullptr);  // the instruction runs again, and this fault ends the program
  if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction) before.sa_sigaction(number, info, context);
}

void on_division(int number, siginfo_t* info, void* context) {
  const bool is_own = is_of_runtime();
  const bool is_integer = info->si_code == FPE_INTDIV || info->si_code == FPE_INTOVF;
  if (!is_own && is_integer)
    report_mistake(MistakeKind::kHostCrash, msg::host_divides_by_zero(), msg::advice_check_divisor());
  ::sigaction(SIGFPE, &before_division, nullptr);  // the instruction runs again, and ends the program
  if ((before_division.sa_flags & SA_SIGINFO) && before_division.sa_sigaction)
    before_division.sa_sigaction(number, info, context);
}

}  // namespace

void watch_for_faults() {
  struct sigaction divided {};
  divided.sa_sigaction = on_division;
  divided.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGFPE, &divided, &before_division);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, &before);
}

namespace {

constexpr std::size_t kMostTouches = 64;
constexpr std::size_t kMostFragments = 64;  // each covers at most two pages; every call compares all of them
constexpr std::uint64_t kWidestWindow = 4096;  // pages

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::uint64_t page_of(std::uint64_t address) { return address / page_bytes() * page_bytes(); }

void protect(std::uint64_t from, std::uint64_t to, int protection) {
  ::mprotect(reinterpret_cast<void*>(from), to - from, protection);
}

void protect_page(std::uint64_t page, int protection) { protect(page, page + page_bytes(), protection); }

// The number of bytes in `seen` that are in the page of the access.
std::size_t seen_bytes(const Touch& touch) {
  return std::min<std::uint64_t>(page_of(touch.address) + page_bytes() - touch.address, touch.seen.size());
}

class Busy {
 public:
  explicit Busy(std::atomic_flag& flag) : flag_(&flag) {
    while (flag_->test_and_set(std::memory_order_acquire)) continue;
  }
  ~Busy() { flag_->clear(std::memory_order_release); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic_flag* flag_;
};

bool covers(const MemoryUse& use, std::uint64_t address) { return address - use.begin < use.end - use.begin; }

const MemoryUse* use_of(const Work& work, std::uint64_t address) {
  const auto found =
      std::ranges::find_if(work.job.uses, [&](const MemoryUse& use) { return covers(use, address); });
  return found == work.job.uses.end() ? nullptr : &*found;
}

}  // namespace

// ---- closing and opening -------------------------------------------------------------------------------

// For registered memory, only whole pages: other data of the program may share the first and the last page.
Guard::Pages Guard::pages_of(const MemoryUse& use) const {
  const MemoryBlock* block = memory_->find(use.begin);
  if (!block) return {0, 0};
  if (block->kind != MemoryKind::kRegistered) return {page_of(use.begin), round_up(use.end, page_bytes())};
  return {round_up(use.begin, page_bytes()), page_of(use.end)};
}

void Guard::add_fragments(const MemoryUse& use) {
  if (!memory_->find(use.begin)) return;
  const auto [from, to] = pages_of(use);
  if (from >= to) return add_fragment(use.begin, use.end);
  if (use.begin < from) add_fragment(use.begin, from);
  if (to < use.end) add_fragment(to, use.end);
}

// Only the first queued use of each kind changes the protection of a span.
void Guard::hold(const Work& work) {
  std::vector<Held> held;
  for (const MemoryUse& use : work.job.uses) {
    add_fragments(use);
    const Pages pages = pages_of(use);
    if (pages.first >= pages.second) continue;
    const bool is_readable = use.access == MemoryUse::kReads;
    Span& span = spans_[pages];
    if (span.others == 0 && (!is_readable || span.readers == 0)) open_.push_back(pages);
    ++(is_readable ? span.readers : span.others);
    longest_ = std::max(longest_, pages.second - pages.first);
    held.push_back({pages, is_readable});
  }
  if (!held.empty()) held_by_.emplace(work.number, std::move(held));
  is_closed_ = !spans_.empty();
}

bool Guard::release(const Held& use) {
  const auto found = spans_.find(use.pages);
  if (found == spans_.end()) return false;
  auto& [readers, others, window] = found->second;
  --(use.is_readable ? readers : others);
  const bool is_held_alike = others > 0 || (use.is_readable && readers > 0);
  if (readers + others == 0) spans_.erase(found);
  return is_held_alike;
}

void Guard::add_fragment(std::uint64_t from, std::uint64_t to) {
  if (fragments_.size() >= kMostFragments || fragments_.contains({from, to})) return;
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  fragments_[{from, to}] = {{bytes, bytes + (to - from)}, call_site()};
}

// Bytes that differ from their copy were written by the host: changes by work are copied when it ends.
void Guard::note_changes() {
  for (auto& [place, fragment] : fragments_) {
    const auto* now = reinterpret_cast<const std::byte*>(place.first);
    const auto changed = std::ranges::mismatch(fragment.contents, std::span(now, fragment.contents.size()));
    if (changed.in1 == fragment.contents.end()) continue;
    const auto address = place.first + static_cast<std::uint64_t>(changed.in1 - fragment.contents.begin());
    std::memcpy(fragment.contents.data(), now, fragment.contents.size());
    const Busy busy(busy_);
    if (touches_.size() < kMostTouches)
      touches_.push_back({.address = address,
                          .is_write = true,
                          .up_to = known_number_,
                          .from = fragment.queued_from,
                          .is_by_contents = true});
  }
}

void Guard::keep_contents() {
  for (auto& [place, fragment] : fragments_)
    std::memcpy(fragment.contents.data(), reinterpret_cast<const void*>(place.first),
                fragment.contents.size());
}

// A span that begins more than the longest span's length before the pages cannot reach them.
std::vector<std::map<Guard::Pages, Guard::Span>::iterator> Guard::spans_over(Pages pages) {
  std::vector<std::map<Pages, Span>::iterator> found;
  const std::uint64_t first = pages.first > longest_ ? pages.first - longest_ : 0;
  for (auto span = spans_.lower_bound({first, 0}); span != spans_.end() && span->first.first < pages.second;
       ++span)
    if (span->first.second > pages.first) found.push_back(span);
  return found;
}

// Protects readable spans first, so PROT_NONE wins where spans overlap.
void Guard::close_pages(Pages pages) {
  const auto spans = spans_over(pages);
  for (const auto& span : spans) span->second.window = 1;
  const auto covers_all = [&](const auto& span) {
    return span->second.others > 0 && span->first.first <= pages.first && span->first.second >= pages.second;
  };
  if (std::ranges::any_of(spans, covers_all)) return protect(pages.first, pages.second, PROT_NONE);
  for (const bool readable : {true, false})
    for (const auto& span : spans)
      if ((span->second.others == 0) == readable)
        protect(std::max(pages.first, span->first.first), std::min(pages.second, span->first.second),
                readable ? PROT_READ : PROT_NONE);
}

void Guard::close(const Queue& queue) {
  if (queue.pending() == 0) fragments_.clear();
  note_changes();
  const Busy busy(busy_);
  if (queue.pending() == 0) return open_all();
  const auto& pending = queue.pending_work();
  if (is_stale_)
    for (const auto& [number, work] : pending)
      for (const MemoryUse& use : work->job.uses) add_fragments(use);
  for (auto at = pending.upper_bound(known_number_); at != pending.end(); ++at) hold(*at->second);
  known_number_ = queue.last_number();
  is_stale_ = false;
  std::ranges::sort(open_);
  const auto [again, end] = std::ranges::unique(open_);
  open_.erase(again, end);
  for (const Pages& pages : open_) close_pages(pages);
  open_.clear();
}

void Guard::open(Pages pages) {
  protect(pages.first, pages.second, PROT_READ | PROT_WRITE);
  open_.push_back(pages);
}

// Makes the declared uses of the work accessible. Pages that other queued work holds in the same way stay
// closed to a kernel, which often needs a small part of a large allocation: the interpreter's faults open
// that part. Work inside other work was never queued, so it holds no pages.
void Guard::open_uses(const Work& work) {
  open_.insert(open_.end(), open_to_host_.begin(), open_to_host_.end());
  open_to_host_.clear();
  const auto held = held_by_.extract(work.number);
  if (!held)
    for (const MemoryUse& use : work.job.uses) {
      const Pages pages = pages_of(use);
      if (pages.first < pages.second && !spans_over(pages).empty()) open(pages);
    }
  else
    for (const Held& use : held.mapped()) {
      const bool is_held_alike = release(use);
      if (!work.job.is_kernel || !is_held_alike) open(use.pages);
    }
  is_closed_ = !spans_.empty();
}

// Called when no work is queued.
void Guard::open_all() {
  for (const auto& [pages, span] : spans_) protect(pages.first, pages.second, PROT_READ | PROT_WRITE);
  spans_.clear();
  held_by_.clear();
  open_.clear();
  open_to_host_.clear();
  longest_ = 0;
  is_closed_ = false;
}

// ---- what the host does --------------------------------------------------------------------------------

Touch* Guard::touch_at(std::uint64_t address, bool is_write) {
  const auto found = std::ranges::find_if(touches_, [&](const Touch& touch) {
    return page_of(touch.address) == page_of(address) && touch.is_write == is_write;
  });
  return found == touches_.end() ? nullptr : &*found;
}

// Records an access. Returns true if nothing new was recorded: its page is known, or the list is full.
bool Guard::note(std::uint64_t address, bool is_write) {
  if (Touch* known = touch_at(address, is_write)) {
    known->times += known->is_again;
    known->is_again = false;
    return true;
  }
  if (touches_.size() >= kMostTouches) return true;
  Touch touch{.address = address, .is_write = is_write, .up_to = known_number_, .from = call_site()};
  std::memcpy(touch.seen.data(), reinterpret_cast<const void*>(address), seen_bytes(touch));
  touches_.push_back(std::move(touch));
  return false;
}

bool Guard::take_fault(std::uint64_t address, bool is_write, bool is_own) {
  const Busy busy(busy_);
  const std::uint64_t page = page_of(address);
  if (evidence_.contains(page)) {
    for (Touch& touch : touches_) {
      if (page_of(touch.address) != page) continue;
      (is_write ? touch.is_written_by_work : touch.is_read_by_work) = true;
    }
    protect_page(page, is_write ? PROT_READ | PROT_WRITE : PROT_READ);
    return true;
  }
  const auto spans = spans_over({page, page + page_bytes()});
  if (spans.empty()) return false;
  auto& [pages, span] = *spans.front();
  const std::uint64_t end = std::min(pages.second, page + span.window * page_bytes());
  protect(page, end, PROT_READ | PROT_WRITE);
  span.window = std::min(kWidestWindow, span.window * 2);
  (is_own ? open_ : open_to_host_).emplace_back(page, end);
  if (!is_own) note(address, is_write);
  return true;
}

void Guard::open_for_system_call(std::uint64_t address, std::size_t bytes, bool is_write, bool is_own) {
  if (!is_closed_) return;
  for (std::uint64_t at = address; at < address + bytes; at = page_of(at) + page_bytes())
    take_fault(at, is_write, is_own);
}

// ---- what the work does --------------------------------------------------------------------------------

void Guard::before(const Work& work) {
  note_changes();
  wants_touched_ = false;
  if (!is_closed_ && touches_.empty()) return;
  const Busy busy(busy_);
  open_uses(work);
  for (Touch& touch : touches_) {
    touch.is_read_by_work = touch.is_written_by_work = false;
    if (!work.job.is_kernel || work.number > touch.up_to || !use_of(work, touch.address)) continue;
    wants_touched_ |= touch.is_by_contents || (touch.is_write && work.job.communicates);
    if (touch.is_by_contents) continue;
    const std::uint64_t page = page_of(touch.address);
    if (!evidence_.insert(page).second) continue;
    protect_page(page, PROT_NONE);
    open_.emplace_back(page, page + page_bytes());  // protect again after the work
  }
}

bool Guard::has_changed(const Touch& touch) const {
  return std::memcmp(touch.seen.data(), reinterpret_cast<const void*>(touch.address), seen_bytes(touch)) != 0;
}

namespace {

Message access_of(bool is_write) { return is_write ? msg::work_writes() : msg::work_reads(); }

}  // namespace

// For a copy, its exact bytes are known. For a kernel, the pages that it accessed and the bytes that changed
// are known.
std::optional<HostMistake> Guard::mistake(const Touch& touch, const Work& work) const {
  const MemoryUse* use = use_of(work, touch.address);
  const MemoryBlock* block = memory_->find(touch.address);
  if (!use || !block || work.number > touch.up_to) return std::nullopt;
  const bool is_disturbed = !work.job.is_kernel ? touch.is_write || use->access != MemoryUse::kReads
                            : touch.is_write    ? touch.is_read_by_work || touch.is_written_by_work
                                                : touch.is_written_by_work && has_changed(touch);
  // Writing a flag that a running kernel polls is intended.
  const bool is_flag = work.job.communicates && touch.is_write && !touch.is_written_by_work;
  if (!is_disturbed || is_flag) return std::nullopt;
  const bool work_writes = work.job.is_kernel ? touch.is_written_by_work : use->access != MemoryUse::kReads;

  return HostMistake{
      MistakeKind::kPendingMemoryTouched,
      msg::host_touches_pending_memory(access_of(touch.is_write), touch.address - block->address,
                                       Code{block->name}, name_of(work), access_of(work_writes)),
      msg::advice_wait_first(), touch.from, 1};
}

namespace {

// In a page that other data shares, only an access to the same byte counts as evidence. The same holds for a
// write to memory that a kernel polls: a flag may stand beside results.
void add_evidence(Touch& touch, const Work& work, const std::vector<vgpu::TouchedSpan>& touched) {
  const bool may_be_flag = work.job.communicates && touch.is_write && !touched.empty();
  if (!touch.is_by_contents && !may_be_flag) return;
  if (may_be_flag) touch.is_read_by_work = touch.is_written_by_work = false;
  for (const vgpu::TouchedSpan& span : touched) {
    if (touch.address < span.begin || touch.address >= span.end) continue;
    (span.kind == vgpu::TouchedSpan::kRead ? touch.is_read_by_work : touch.is_written_by_work) = true;
  }
}

}  // namespace

std::vector<HostMistake> Guard::after(const Work& work, const std::vector<vgpu::TouchedSpan>& touched,
                                      bool is_anything_queued) {
  std::vector<HostMistake> mistakes;
  keep_contents();
  if (touches_.empty()) return mistakes;
  const Busy busy(busy_);
  for (const std::uint64_t page : evidence_) protect_page(page, PROT_READ | PROT_WRITE);
  evidence_.clear();
  for (Touch& touch : touches_) add_evidence(touch, work, touched);
  std::set<std::pair<const MemoryBlock*, bool>> said;  // report the first access per block and kind
  for (const Touch& touch : touches_)
    if (auto found = mistake(touch, work);
        found && said.emplace(memory_->find(touch.address), touch.is_write).second)
      mistakes.push_back(std::move(*found));
  if (!is_anything_queued) touches_.clear();
  return mistakes;
}

// ---- a host that makes no calls ------------------------------------------------------------------------

void Guard::close_again() {
  const Busy busy(busy_);
  for (Touch& touch : touches_) {
    const std::uint64_t page = page_of(touch.address);
    touch.is_again = true;
    if (!spans_over({page, page + page_bytes()}).empty()) protect_page(page, PROT_NONE);
  }
}

std::optional<Touch> Guard::polled() {
  constexpr int kOften = 3;
  const Busy busy(busy_);
  for (const Touch& touch : touches_)
    if (!touch.is_write && touch.times >= kOften) return touch;
  return std::nullopt;
}

void Guard::forget() {
  const Busy busy(busy_);
  touches_.clear();
  for (const auto& [pages, span] : spans_) {
    protect(pages.first, pages.second, PROT_READ | PROT_WRITE);
    open_.push_back(pages);
  }
  is_stale_ |= !fragments_.empty();
  fragments_.clear();
}

// ---- what a kernel may reach ---------------------------------------------------------------------------

namespace {

// Looks for pointers at multiples of their alignment, eight bytes.
void add_pointers(const Memory& memory, const std::byte* bytes, std::size_t count,
                  std::map<std::uint64_t, const MemoryBlock*>& found) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= count; at += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + at, sizeof value);
    const MemoryBlock* block = memory.find(value);
    if (block && block->is_reached_by_host()) found.emplace(block->address, block);
  }
}

}  // namespace

std::vector<MemoryUse> memory_of_arguments(const Memory& memory, const std::vector<std::byte>& arguments) {
  constexpr std::size_t kMostBlocks = 256, kMostBytes = 4096;
  if (!memory.has_memory_of_both()) return {};
  std::map<std::uint64_t, const MemoryBlock*> found;
  add_pointers(memory, arguments.data(), arguments.size(), found);
  for (const auto& [address, block] : memory.blocks())
    if (block.kind == MemoryKind::kVariable && block.is_reached_by_host()) found.emplace(address, &block);
  std::set<std::uint64_t> followed;
  for (bool is_more = true; is_more && found.size() < kMostBlocks;) {
    is_more = false;
    for (const auto& [address, block] : std::map(found)) {
      if (block->kind != MemoryKind::kManaged || !followed.insert(address).second) continue;
      add_pointers(memory, reinterpret_cast<const std::byte*>(address), std::min(block->bytes, kMostBytes),
                   found);
      is_more = true;
    }
  }
  std::vector<MemoryUse> uses;
  for (const auto& [address, block] : found)
    uses.push_back({block->address, block->end(), MemoryUse::kUnknown});
  return uses;
}

}  // namespace cudalab::runtime
