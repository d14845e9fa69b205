// A complex number as a class with operators for host and device.
// run: --kernel mandelbrot --grid 1,1 --block 8,8 --arg buf:i32:64 --arg i32:8 --arg i32:50 --print out:36:1
// expect: [36] 50
#include "common/check.h"
struct Complex {
  float re, im;
  HD Complex(float r, float i) : re(r), im(i) {}
  HD float norm() const { return re * re + im * im; }
  HD Complex operator*(const Complex& o) const { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
  HD Complex operator+(const Complex& o) const { return Complex(re + o.re, im + o.im); }
};
__device__ int steps(Complex c, int most) {
  Complex z(0, 0);
  int n = 0;
  while (n < most && z.norm() <= 4.0f) z = z * z + c, ++n;
  return n;
}
__global__ void mandelbrot(int* out, int side, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float scale = 4.0f / side;
  out[y * side + x] = steps(Complex((x - side / 2) * scale, (y - side / 2) * scale), most);
}

int main() {
  std::vector<int> host(1024, int(1));
  int* x = to_device(host);
  Timer timer;
  mandelbrot<<<1, dim3(8, 8)>>>(x, 8, 50);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
