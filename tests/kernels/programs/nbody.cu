// Each body feels the force of all others, one tile at a time.
// run: --kernel forces --grid 1 --block 32 --arg buf:f32:128:zero --arg buf:f32:96 --print out:0:1
// expect: [0] 0
#include "common/check.h"
__device__ float3 pull(float4 a, float4 b, float3 sum) {
  float3 r = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
  float d = r.x * r.x + r.y * r.y + r.z * r.z + 1e-9f, inverse = rsqrtf(d), s = b.w * inverse * inverse * inverse;
  sum.x += r.x * s;
  sum.y += r.y * s;
  sum.z += r.z * s;
  return sum;
}
__global__ void forces(const float4* bodies, float3* out) {
  __shared__ float4 tile[32];
  tile[threadIdx.x] = bodies[threadIdx.x];
  __syncthreads();
  float3 sum = {0, 0, 0};
  for (int i = 0; i < 32; ++i) sum = pull(bodies[threadIdx.x], tile[i], sum);
  out[threadIdx.x] = sum;
}

int main() {
  std::vector<float> host(1024, float(1));
  float* x = to_device(host);
  Timer timer;
  forces<<<1, 32>>>((const float4*)x, (float3*)x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), x, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f in %f s\n", double(host[0]), timer.seconds());
  CHECK(cudaFree(x));
  return 0;
}
