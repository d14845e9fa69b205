// Drives a fuzz target (LLVMFuzzerTestOneInput) without libFuzzer, so any compiler can build it. Feeds the
// target texts of a folder with damage that depends on a seed, for a number of seconds. A seed always makes
// the same text.
//
//   parser_fuzz_run tests/fuzz/corpus 30          seeds 1, 2, 3, … for 30 seconds
//   parser_fuzz_run tests/fuzz/corpus --seed 77   seed 77 alone; its text goes to standard output first
//
// A crash, a sanitizer's finding, more than 8 GiB of memory or an input that takes longer than a minute ends
// the run with that seed's number.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/mutator_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

constexpr unsigned kSecondsForOneInput = 60;
constexpr std::uintmax_t kLargestText = 64 << 10;  // of a file; damage to larger ones seldom matters
volatile std::sig_atomic_t g_seed = 0;             // the seed that a signal handler reports

void name_the_seed(int signal) {
  char text[64];
  const int length =
      std::snprintf(text, sizeof text, "fuzz: signal %d with --seed %d\n", signal, static_cast<int>(g_seed));
  if (write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) _exit(2);
  _exit(1);
}

std::vector<std::string> texts_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.file_size() <= kLargestText) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// The first seeds give the undamaged texts.
std::string input_of(unsigned seed, const std::vector<std::string>& texts) {
  if (seed <= texts.size()) return texts[seed - 1];
  cudalab::ptx::Mutator mutator(seed);
  const std::string& text = texts[mutator.below(texts.size())];
  return mutator.mutate(text, texts[mutator.below(texts.size())]);
}

void run(unsigned seed, const std::string& input) {
  g_seed = static_cast<int>(seed);
  alarm(kSecondsForOneInput);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  alarm(0);
}

// An input that needs more memory ends the run. (A sanitizer needs an address space of many terabytes.)
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  constexpr rlim_t kBytes = rlim_t{8} << 30;
  const rlimit limit{kBytes, kBytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

int usage() {
  std::fputs("usage: fuzz_run CORPUS (SECONDS | --seed N)\n", stderr);
  return 2;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return usage();
  const std::vector<std::string> texts = texts_in(words[1]);
  if (texts.empty()) return usage();
  limit_memory();
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    std::signal(signal, name_the_seed);
  if (std::strcmp(words[2], "--seed") == 0) {
    if (count != 4) return usage();
    const auto seed = static_cast<unsigned>(std::strtoul(words[3], nullptr, 10));
    const std::string input = input_of(seed, texts);
    std::fwrite(input.data(), 1, input.size(), stdout);
    std::fflush(stdout);
    run(seed, input);
    return 0;
  }
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoul(words[2], nullptr, 10));
  unsigned seed = 0;
  while (std::chrono::steady_clock::now() < end) {
    ++seed;
    run(seed, input_of(seed, texts));
  }
  std::printf("%u texts\n", seed);
  return 0;
}
