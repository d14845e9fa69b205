// `half_of` lacks its __device__; the error must say so.
#include <cstdio>

float half_of(float x) { return x / 2; }

__global__ void halve(float *values) { values[threadIdx.x] = half_of(values[threadIdx.x]); }

int main() { halve<<<1, 32>>>(nullptr); }
