// Integer arithmetic and bit operations, at widths of 8 to 64 bits.
constexpr int kResults = 20;

extern "C" __global__ void integer_functions(const int* a, const int* b, int* out) {
  const int x = a[threadIdx.x], y = b[threadIdx.x] | 1;
  const unsigned ux = x, uy = y;
  int* row = out + threadIdx.x * kResults;
  row[0] = x / y;
  row[1] = x % y;
  row[2] = ux / uy;
  row[3] = ux % uy;
  row[4] = __mulhi(x, y);
  row[5] = __umulhi(ux, uy);
  row[6] = __mul24(x, y);
  row[7] = __clz(x);
  row[8] = __ffs(x);
  row[9] = __popc(x);
  row[10] = __brev(x);
  row[11] = __byte_perm(x, y, 0x5140);
  row[12] = __funnelshift_l(x, y, 5);
  row[13] = __sad(x, y, ux);
  row[14] = abs(x) + min(x, y) - max(x, y);
  row[15] = static_cast<short>(x) * static_cast<signed char>(y);
  row[16] = x >> (y & 31);
  row[17] = ux << (uy & 31);
  row[18] = __vadd4(ux, uy);
  row[19] = __dp4a(x, y, 7);
}

extern "C" __global__ void wide_functions(const long long* a, const long long* b, long long* out) {
  const long long x = a[threadIdx.x], y = b[threadIdx.x] | 1;
  long long* row = out + threadIdx.x * 8;
  row[0] = x / y;
  row[1] = x % y;
  row[2] = static_cast<unsigned long long>(x) / static_cast<unsigned long long>(y);
  row[3] = __mul64hi(x, y);
  row[4] = __clzll(x);
  row[5] = __popcll(x);
  row[6] = __brevll(x);
  row[7] = x * y + (x >> 7) - (y << 9);
}

// 128-bit sums carry from word to word.
extern "C" __global__ void add_128(const unsigned __int128* a, const unsigned __int128* b,
                                   unsigned __int128* out) {
  out[threadIdx.x] = a[threadIdx.x] * 3 + b[threadIdx.x];
}

// run: --kernel integer_functions --grid 1 --block 32 --arg buf:i32:32:random --arg buf:i32:32:random --arg buf:i32:640 --option=--device-int128
// run: --kernel wide_functions --grid 1 --block 32 --arg buf:i64:32:random --arg buf:i64:32:random --arg buf:i64:256 --option=--device-int128
// run: --kernel add_128 --grid 1 --block 32 --arg buf:u64:64:random --arg buf:u64:64:random --arg buf:u64:64 --option=--device-int128
