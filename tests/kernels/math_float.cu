// The mathematical functions in single precision, one row of results per thread.
constexpr int kResults = 24;

extern "C" __global__ void float_functions(const float* in, float* out) {
  const float x = in[threadIdx.x], positive = fabsf(x) + 0.125f;
  float* row = out + threadIdx.x * kResults;
  row[0] = sinf(x);
  row[1] = cosf(x);
  row[2] = tanf(x);
  row[3] = expf(x);
  row[4] = logf(positive);
  row[5] = powf(positive, x);
  row[6] = sqrtf(positive);
  row[7] = rsqrtf(positive);
  row[8] = cbrtf(x);
  row[9] = hypotf(x, 2.0f);
  row[10] = atan2f(x, positive);
  row[11] = tanhf(x);
  row[12] = erff(x);
  row[13] = floorf(x);
  row[14] = rintf(x);
  row[15] = fmodf(x, 0.75f);
  row[16] = copysignf(positive, x);
  row[17] = fminf(x, 0.25f) + fmaxf(x, -0.25f);
  row[18] = 1.0f / positive;
  row[19] = __saturatef(x);
  row[20] = isnan(x) ? 1.0f : 0.0f;
  row[21] = static_cast<float>(static_cast<int>(x * 100.0f));
  row[22] = fmaf(x, x, x);
  row[23] = ldexpf(x, 3);
}

// The fast approximations that -use_fast_math selects.
extern "C" __global__ void fast_functions(const float* in, float* out) {
  const float x = in[threadIdx.x];
  float* row = out + threadIdx.x * 6;
  row[0] = __sinf(x);
  row[1] = __cosf(x);
  row[2] = __expf(x);
  row[3] = __log2f(fabsf(x) + 1.0f);
  row[4] = __fdividef(x, 3.0f);
  row[5] = __frsqrt_rn(fabsf(x) + 1.0f);
}

// The four rounding modes.
extern "C" __global__ void rounding(const float* in, float* out) {
  const float a = in[threadIdx.x], b = in[threadIdx.x + 1];
  float* row = out + threadIdx.x * 4;
  row[0] = __fadd_rn(a, b);
  row[1] = __fmul_rz(a, b);
  row[2] = __fdiv_ru(a, b);
  row[3] = __fmaf_rd(a, b, a);
}

// run: --kernel float_functions --grid 1 --block 32 --arg buf:f32:32:random --arg buf:f32:768
// run: --kernel fast_functions --grid 1 --block 32 --arg buf:f32:32:random --arg buf:f32:192
// run: --kernel rounding --grid 1 --block 31 --arg buf:f32:32:random --arg buf:f32:124
