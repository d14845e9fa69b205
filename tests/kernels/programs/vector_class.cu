// Operators of a class from an included header.
// run: --kernel advance --grid 1 --block 8 --arg buf:f32:24:iota --arg buf:f32:8 --print out:2:1
// expect: [2] 447
#include "common/vec3.cuh"
__global__ void advance(const Vec3* points, float* out) {
  const Vec3 p = points[threadIdx.x], q = p + p * 2.0f;
  out[threadIdx.x] = q.dot(p);
}

int main() {
  print(Vec3{1, 2, 3});
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  advance<<<1, 8>>>((const Vec3*)x, x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
