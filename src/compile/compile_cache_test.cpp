// Tests the compile cache. Anything other than an entry in its folder must be an immediate miss.
#include "compile/compile_cache.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "core/temporary_folder_testing.h"

namespace cudalab::compile {
namespace {
namespace fs = std::filesystem;

CompiledSource compiled_to(const std::string& ptx) { return {ptx, "a.cu", {{"mm<2>", "_Z2mm"}}, "", false}; }

class Cache : public testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(place_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
  // Anything else in place of the stored entry is a miss, and the next store repairs it.
  void expect_a_miss_that_is_mended() {
    EXPECT_FALSE(cache_.find("key"));
    cache_.store("key", compiled_to("ptx"));
    EXPECT_TRUE(cache_.find("key"));
    EXPECT_EQ(names(), std::vector<std::string>{"key"});
  }

  TemporaryFolder directory_;
  fs::path place_ = directory_ / "cache/ptx";
  CompileCache cache_{place_};
};

TEST(CacheEntry, KeepsEveryFieldAndRefusesDamage) {
  const Fields fields{"ptx\n1\n", "", "a warning"};
  const std::string entry = to_entry("key", fields);
  EXPECT_EQ(from_entry("key", entry), fields);
  for (std::size_t i = 0; i < entry.size(); ++i) {
    std::string damaged = entry;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(from_entry("key", damaged)) << "byte " << i;
    EXPECT_FALSE(from_entry("key", std::string_view(entry).substr(0, i))) << "cut at " << i;
  }
}

TEST(CacheEntry, BelongsToOneKey) {
  const std::string entry = to_entry("key", {"ptx"});
  for (const char* other : {"", "ke", "keys", "Key"}) EXPECT_FALSE(from_entry(other, entry)) << other;
}

TEST_F(Cache, KeepsEverythingThatWasCompiled) {
  const CompiledSource compiled{"ptx\n1\n", "a.cu", {{"mm<float,16>", "_Z2mm"}}, "a warning", false};
  cache_.store("key", compiled);
  const auto back = cache_.find("key");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->ptx, compiled.ptx);
  EXPECT_EQ(back->file_name, compiled.file_name);
  EXPECT_EQ(back->log, compiled.log);
  EXPECT_EQ(back->lowered_names, compiled.lowered_names);
  EXPECT_TRUE(back->from_cache);
  cache_.store_fields("other", {"too", "few"});
  EXPECT_FALSE(cache_.find("other"));
}

TEST_F(Cache, FindsNothingUnderAKeyThatAnEntryWasCopiedOrRenamedTo) {
  cache_.store("a", compiled_to("a's"));
  cache_.store("b", compiled_to("b's"));
  fs::copy_file(place_ / "a", place_ / "b", fs::copy_options::overwrite_existing);
  fs::rename(place_ / "a", place_ / "c");
  fs::create_hard_link(place_ / "b", place_ / "d");
  for (const char* key : {"a", "b", "c", "d"}) EXPECT_FALSE(cache_.find(key)) << key;
  cache_.store("b", compiled_to("b's"));
  EXPECT_EQ(cache_.find("b")->ptx, "b's");
}

TEST_F(Cache, WaitsForNoPipe) {
  cache_.store("other", compiled_to("ptx"));
  fs::remove(place_ / "other");
  ASSERT_EQ(mkfifo((place_ / "key").c_str(), 0600), 0);
  expect_a_miss_that_is_mended();
}

TEST_F(Cache, FollowsNoLink) {
  cache_.store("key", compiled_to("ptx"));
  fs::rename(place_ / "key", directory_ / "elsewhere");
  fs::create_symlink(directory_ / "elsewhere", place_ / "key");
  expect_a_miss_that_is_mended();
  EXPECT_TRUE(fs::exists(directory_ / "elsewhere"));
  fs::remove(place_ / "key");
  fs::create_symlink("/dev/zero", place_ / "key");
  expect_a_miss_that_is_mended();
  fs::remove(place_ / "key");
  fs::create_symlink("key", place_ / "key");
  expect_a_miss_that_is_mended();
}

TEST_F(Cache, LeavesAFolderInPlaceOfAnEntryAlone) {
  fs::create_directories(place_ / "key" / "inside");
  cache_.store("key", compiled_to("ptx"));
  EXPECT_FALSE(cache_.find("key"));
  EXPECT_EQ(names(), std::vector<std::string>{"key"});
  cache_.store("other", compiled_to("ptx"));
  EXPECT_TRUE(cache_.find("other"));
}

// The file is sparse: reading it would need a terabyte of memory.
TEST_F(Cache, ReadsNoFileThatIsTooLargeForAnEntry) {
  cache_.store("key", compiled_to("ptx"));
  std::error_code refused;
  fs::resize_file(place_ / "key", std::uintmax_t(1) << 40, refused);
  if (refused) GTEST_SKIP() << "no sparse files here";
  expect_a_miss_that_is_mended();
}

TEST_F(Cache, KeepsNothingThatIsTooLargeForAnEntry) {
  cache_.store("key", compiled_to(std::string(CompileCache::kLargestEntry, 'x')));
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(Cache, IsReadableForNobodyElse) {
  cache_.store("key", compiled_to("ptx"));
  EXPECT_EQ(fs::status(place_).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(place_ / "key").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Cache, UsesNoFolderThatOthersMayWriteToUntilItIsClosedToThem) {
  cache_.store("key", compiled_to("ptx"));
  for (const int mode : {0777, 01777, 0770, 0755, 0701}) {
    ASSERT_EQ(chmod(place_.c_str(), static_cast<mode_t>(mode)), 0);
    EXPECT_FALSE(cache_.find("key")) << std::oct << mode;
    expect_a_miss_that_is_mended();
  }
}

TEST_F(Cache, UsesNoLinkInPlaceOfItsFolder) {
  cache_.store("key", compiled_to("ptx"));
  fs::rename(place_, directory_ / "elsewhere");
  fs::create_directory_symlink(directory_ / "elsewhere", place_);
  EXPECT_FALSE(cache_.find("key"));
  cache_.store("other", compiled_to("ptx"));
  EXPECT_FALSE(fs::exists(directory_ / "elsewhere" / "other"));
}

TEST_F(Cache, UsesNothingOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kSomebody = 65534;
  cache_.store("key", compiled_to("ptx"));
  ASSERT_EQ(chown((place_ / "key").c_str(), kSomebody, gid_t(-1)), 0);
  expect_a_miss_that_is_mended();
  ASSERT_EQ(chown(place_.c_str(), kSomebody, gid_t(-1)), 0);
  EXPECT_FALSE(cache_.find("key"));
  cache_.store("other", compiled_to("ptx"));
  EXPECT_EQ(names(), std::vector<std::string>{"key"});
}

// A limit on file sizes has the effect of a full disk: one part is written, then nothing more.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST_F(Cache, LeavesNothingHalfWrittenOnAFullDisk) {
  cache_.store("kept", compiled_to("ptx"));
  {
    const FullDisk disk(5000);
    cache_.store("key", compiled_to(std::string(100'000, 'x')));
    cache_.store("kept", compiled_to(std::string(100'000, 'x')));
  }
  EXPECT_FALSE(cache_.find("key"));
  EXPECT_EQ(cache_.find("kept")->ptx, "ptx");
  EXPECT_EQ(names(), std::vector<std::string>{"kept"});
}

TEST_F(Cache, RemovesWhatAKilledRunLeftUnfinished) {
  const CompileCache cache(place_, 10'000);  // a small limit: every store is large enough to trim
  cache.store("key", compiled_to("ptx"));
  for (const char* name : {"old.1.0.tmp", "new.2.0.tmp"}) std::ofstream(place_ / name) << "cudalab-ptx/";
  fs::last_write_time(place_ / "old.1.0.tmp", fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.store("key", compiled_to("ptx"));
  EXPECT_EQ(names(), (std::vector<std::string>{"key", "new.2.0.tmp"}));  // another process may be writing it
}

TEST_F(Cache, CountsOnlyFilesTowardsItsLimit) {
  std::ofstream(directory_ / "large") << std::string(100'000, 'x');
  const CompileCache small(place_, 4000);
  small.store("key", compiled_to("ptx"));
  fs::create_symlink(directory_ / "large", place_ / "link");
  small.store("other", compiled_to("ptx"));
  EXPECT_TRUE(small.find("key"));
}

TEST_F(Cache, RemovesTheLeastRecentlyUsedBeyondItsLimit) {
  const CompileCache cache(place_, 4000);
  for (const char* key : {"a", "b", "c"}) cache.store(key, compiled_to(std::string(1000, 'x')));
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(place_ / "a", now - std::chrono::hours(3));
  fs::last_write_time(place_ / "b", now - std::chrono::hours(2));
  EXPECT_TRUE(cache.find("a"));  // `a` was used just now, so `b` is the oldest
  cache.store("d", compiled_to(std::string(1000, 'x')));
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("d"));
}

// A clock that was once wrong leaves files with times in the future.
TEST_F(Cache, RemovesFilesOfTheFutureFirst) {
  const CompileCache cache(place_, 4000);
  for (const char* key : {"a", "b", "c"}) cache.store(key, compiled_to(std::string(1000, 'x')));
  std::ofstream(place_ / "left.1.0.tmp") << "cudalab-ptx/";
  for (const char* file : {"c", "left.1.0.tmp"})
    fs::last_write_time(place_ / file, fs::file_time_type::clock::now() + std::chrono::hours(24 * 365));
  cache.store("d", compiled_to(std::string(1000, 'x')));
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "b", "d"}));
}

// A class of students stores ten thousand entries. Visiting all of them at each store would take quadratic
// time.
TEST_F(Cache, LooksForRoomAfterOneStoreInMany) {
  int removed = 0;
  for (int store = 0; store < 640; ++store) {
    const fs::path left = place_ / "left.1.0.tmp";
    fs::create_directories(place_);
    std::ofstream(left) << "cudalab-ptx/";
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
    cache_.store(std::to_string(store), compiled_to("ptx"));
    removed += !fs::exists(left);
  }
  EXPECT_GE(removed, 1);
  EXPECT_LE(removed, 40);
}

TEST_F(Cache, GivesConcurrentReadersWholeEntriesOnly) {
  const auto write_and_read = [&](char letter) {
    for (int i = 0; i < 20; ++i) {
      cache_.store("key", compiled_to(std::string(200'000, letter)));
      const auto found = cache_.find("key");
      ASSERT_TRUE(found) << "an entry is replaced, never absent";
      EXPECT_EQ(found->ptx, std::string(200'000, found->ptx.front()));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (const char letter : {'a', 'b', 'c', 'd'}) threads.emplace_back(write_and_read, letter);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"key"});
}

// Clears the process's environment variables for one test.
class CacheDirectory : public testing::Test {
 protected:
  CacheDirectory() {
    for (const char* name : kNames) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
  }
  ~CacheDirectory() override {
    for (const char* name : kNames) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  static constexpr const char* kNames[] = {"CUDALAB_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::map<std::string, std::string> before_;
};

TEST_F(CacheDirectory, IsNoneOfThoseThatAreRelative) {
  EXPECT_FALSE(cache_directory());
  ::setenv("HOME", "home", 1);
  EXPECT_FALSE(cache_directory());
  ::setenv("HOME", "/home/ada", 1);
  EXPECT_EQ(cache_directory(), "/home/ada/.cache/cudalab/ptx");
  ::setenv("XDG_CACHE_HOME", "cache", 1);
  EXPECT_EQ(cache_directory(), "/home/ada/.cache/cudalab/ptx");
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(cache_directory(), "/cache/cudalab/ptx");
}

}  // namespace
}  // namespace cudalab::compile
