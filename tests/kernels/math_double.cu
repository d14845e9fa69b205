// The mathematical functions in double precision, one row of results per thread.
constexpr int kResults = 20;

extern "C" __global__ void double_functions(const double* in, double* out) {
  const double x = in[threadIdx.x], positive = fabs(x) + 0.125;
  double* row = out + threadIdx.x * kResults;
  row[0] = sin(x);
  row[1] = cos(x);
  row[2] = exp(x);
  row[3] = log(positive);
  row[4] = pow(positive, x);
  row[5] = sqrt(positive);
  row[6] = rsqrt(positive);
  row[7] = cbrt(x);
  row[8] = atan2(x, positive);
  row[9] = tanh(x);
  row[10] = erf(x);
  row[11] = floor(x);
  row[12] = rint(x);
  row[13] = trunc(x);
  row[14] = fmod(x, 0.75);
  row[15] = copysign(positive, x);
  row[16] = fmin(x, 0.25) + fmax(x, -0.25);
  row[17] = x / 3.0;
  row[18] = static_cast<double>(static_cast<long long>(x * 1e6));
  row[19] = isnan(x) ? 1.0 : static_cast<double>(static_cast<float>(x));
}

// run: --kernel double_functions --grid 1 --block 32 --arg buf:f64:32:random --arg buf:f64:640
