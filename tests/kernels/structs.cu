// Structures as kernel arguments, as arguments of functions and as results.
struct Body {
  float mass;
  double position[3];
  short tag;
};
struct Matrix {
  float cell[4][4];
};

__device__ __noinline__ Body moved(Body body, double distance) {
  for (int d = 0; d < 3; ++d) body.position[d] += distance * body.mass;
  body.tag += 1;
  return body;
}

extern "C" __global__ void move_bodies(const Body* in, Body* out, Body frame, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = moved(in[i], frame.position[1]);
}

// An argument that is read with an index stays in parameter memory.
extern "C" __global__ void multiply(const __grid_constant__ Matrix matrix, const float* in, float* out) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += matrix.cell[threadIdx.x][k] * in[k];
  out[threadIdx.x] = sum;
}
