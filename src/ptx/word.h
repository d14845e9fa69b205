// Words of opcodes: `ld`, `global`, `v4` and `f32` of `ld.global.v4.f32`. They are interned and compared as
// numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::ptx {

// The words that sources may name, in order. Word("…") of any other text does not compile; add it here.
// clang-format off
inline constexpr auto kWords = std::to_array<std::string_view>({
    "",
    "1d", "2d", "3d", "L1::evict_first", "L1::evict_last", "L1::evict_normal", "L1::evict_unchanged",
    "L1::no_allocate", "L2::128B", "L2::256B", "L2::64B", "L2::cache_hint", "NaN", "a", "a1d", "a2d", "abs",
    "acq_rel", "acquire", "activemask", "add", "addc", "aligned", "all", "alloca", "and", "any",
    "applypriority", "approx", "array_size", "arrive", "arrive_drop", "async", "atom", "b", "b128", "b16",
    "b32", "b64", "b8", "ballot", "bar", "barrier", "bf16", "bf16x2", "bfe", "bfi", "bfind", "bfly", "bmsk",
    "bra", "brev", "brkpt", "brx", "bulk", "bulk_group", "c", "ca", "call", "cas", "cg", "clamp", "cluster",
    "clz", "cnot", "col", "commit_group", "complete_tx", "const", "copysign", "cos", "count", "cp",
    "createpolicy", "cs", "cta", "cubemap", "cv", "cvt", "cvta", "d", "dec", "depth", "discard", "div",
    "down", "dp2a", "dp4a", "e4m3", "e5m2", "elect", "entry", "eq", "equ", "ex2", "exch", "exit",
    "expect_tx", "f16", "f16x2", "f32", "f64", "fence", "finite", "fma", "fns", "ftz", "full", "g", "ge",
    "getctarank", "geu", "gl", "global", "gpu", "grad", "griddepcontrol", "gt", "gtu", "height", "hi", "hs",
    "idx", "inc", "infinite", "init", "inval", "isspacep", "l", "ld", "ldmatrix", "ldu", "le", "leu",
    "level", "lg2", "lo", "load", "local", "lop3", "ls", "lt", "ltu", "lu", "m8n8", "m8n8k4", "mad",
    "mad24", "madc", "mapa", "match", "max", "mbarrier", "mbarrier::complete_tx::bytes", "mbarrier_init",
    "membar", "min", "mma", "mma_async", "mmio", "mov", "movmatrix", "mul", "mul24", "multicast::cluster",
    "multimem", "nan", "nanosleep", "nc", "ne", "neg", "neu", "noComplete", "noftz", "noinc", "normal",
    "not", "notanumber", "num", "number", "or", "pack", "param", "param::entry", "param::func", "parity",
    "pending_count", "pmevent", "po", "popc", "pred", "prefetch", "prefetchu", "prmt", "proxy", "r", "rcp",
    "read", "red", "reduce", "redux", "relaxed", "release", "relu", "rem", "ret", "rm", "rmi", "rn", "rna",
    "rni", "row", "rp", "rpi", "rsqrt", "rz", "rzi", "s16", "s32", "s64", "s8", "sad", "sat", "satfinite",
    "sc", "selp", "set", "setmaxnreg", "setp", "shared", "shared::cluster", "shared::cta", "shf", "shfl",
    "shiftamt", "shl", "shr", "shr15", "shr7", "sin", "slct", "sqrt", "st", "stackrestore", "stacksave",
    "stmatrix", "store", "sub", "subc", "subnormal", "suld", "suq", "sust", "sync", "sys", "szext", "tanh",
    "tensor", "test_wait", "testp", "tex", "tf32", "tile", "tld4", "to", "trans", "trap", "try_wait", "txq",
    "u16", "u32", "u64", "u8", "uni", "unified", "up", "v2", "v4", "v8", "vabsdiff", "vabsdiff2",
    "vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2", "vavrg4", "vmad", "vmax", "vmax2", "vmax4", "vmin",
    "vmin2", "vmin4", "volatile", "vote", "vset", "vset2", "vset4", "vshl", "vshr", "vsub", "vsub2",
    "vsub4", "wait", "wait_all", "wait_group", "warp", "wb", "weak", "wgmma", "wide", "width", "wmma",
    "wrap", "wt", "x", "x1", "x2", "x4", "xor", "xorsign", "zero",
});
// clang-format on
static_assert(std::ranges::is_sorted(kWords));

class Word {
 public:
  constexpr Word() = default;  // the empty word
  // Looked up while compiling: `word == "global"` compares two numbers.
  consteval Word(const char* text) : id_(number_of(text)) {}
  // Takes any text. A text that kWords lacks is stored until the program ends. Callable from any thread.
  static Word of(std::string_view text);

  std::uint32_t id() const { return id_; }  // the same text has the same number until the program ends
  std::string_view text() const { return id_ < kWords.size() ? kWords[id_] : text_of_other(id_); }
  operator std::string_view() const { return text(); }
  friend constexpr bool operator==(Word, Word) = default;

 private:
  constexpr explicit Word(std::uint32_t id) : id_(id) {}
  static constexpr std::uint32_t number_of(std::string_view text) {
    const auto found = std::ranges::lower_bound(kWords, text);
    if (found == kWords.end() || *found != text) throw "not a word of kWords";  // ends the compilation
    return static_cast<std::uint32_t>(found - kWords.begin());
  }
  static std::string_view text_of_other(std::uint32_t id);

  std::uint32_t id_ = 0;
};

// Splits an opcode at its dots, and joins its words.
std::vector<Word> words_of(std::string_view opcode);
std::string text_of(std::span<const Word> words);

constexpr bool is_one_of(Word word, std::initializer_list<Word> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace cudalab::ptx
