// How long work takes that is made of like parts: judged by the first of them, while it goes on; and who is
// told of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace cudalab {

// Parts that are done, against the clock. Asked by nobody, told by whoever does the work; a part costs next
// to nothing.
class Pace {
 public:
  using Tell = std::function<void(double seconds)>;  // that the whole takes, from its beginning on
  // `tell` is called by the thread that does a part: after `first_look_seconds`, and each time that twice as
  // much time has passed.
  explicit Pace(Tell tell, double first_look_seconds = 0.5);
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;

  // So many parts, of which several are worked on at once: the first of all of them say more than the first.
  void begin(std::uint64_t parts, std::uint64_t at_once);
  void one_more();  // may be called by several threads

 private:
  Tell tell_;
  std::int64_t first_look_ns_;
  std::uint64_t parts_ = 0, at_once_ = 1;
  std::int64_t began_ns_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_look_ns_{0};
};

// Says in one sentence that something takes more than about a minute, and again where it turns out to take
// twice as long as was said. Several threads may know something.
class Forewarning {
 public:
  using Say = std::function<void(const std::string&)>;
  explicit Forewarning(Say say) : say_(std::move(say)) {}  // may be empty

  // `advice`: what shortens it, "a smaller size is quicker".
  void expect(const std::string& what, double seconds, const std::string& advice);
  bool is_heard() const { return static_cast<bool>(say_); }

 private:
  Say say_;
  std::mutex mutex_;
  std::map<std::string, double> said_;  // of what, how many seconds
};

}  // namespace cudalab
