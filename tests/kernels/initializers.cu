// Variables whose initial values are the addresses of other variables and of functions.
struct Node {
  int value;
  const Node* next;
};
__device__ const Node last{30, nullptr};
__device__ const Node middle{20, &last};
__device__ Node first{10, &middle};
__device__ int numbers[4] = {1, 2, 3, 4};
__device__ int* third = numbers + 2;
struct __attribute__((packed)) Packed {
  char tag;
  int* pointer;
};
__device__ Packed packed = {'p', numbers + 1};
__device__ const char* words[] = {"zero", "one"};

extern "C" __global__ void follow_pointers(int* out) {
  int sum = 0;
  for (const Node* node = &first; node != nullptr; node = node->next) sum += node->value;
  out[0] = sum;
  out[1] = *third;
  out[2] = packed.tag;
  out[3] = *packed.pointer;
  out[4] = words[threadIdx.x & 1][0];
}

// run: --kernel follow_pointers --grid 1 --block 1 --arg buf:i32:5
