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

// A parameter that is indexed stays in parameter memory.
extern "C" __global__ void multiply(const __grid_constant__ Matrix matrix, const float* in, float* out) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += matrix.cell[threadIdx.x][k] * in[k];
  out[threadIdx.x] = sum;
}

// run: --kernel move_bodies --grid 1 --block 32 --arg buf:u8:1000:random --arg buf:u8:1000 --arg u8:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 --arg i32:25
// run: --kernel multiply --grid 1 --block 4 --arg f32:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 --arg buf:f32:4:random --arg buf:f32:4
