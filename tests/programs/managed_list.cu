// A linked list in managed memory, built by the host and traversed by a kernel.
#include "check.h"

struct Node {
  int value;
  Node* next;
};

__global__ void walk(Node* node, int* sum) {
  for (; node; node = node->next) {
    *sum += node->value;
    node->value = -node->value;
  }
}

int main() {
  Node* first = nullptr;
  int* sum;
  for (int i = 1; i <= 10; i++) {
    Node* node;
    CHECK(cudaMallocManaged(&node, sizeof(Node)));
    *node = {i, first};
    first = node;
  }
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  *sum = 0;
  walk<<<1, 1>>>(first, sum);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d, first is %d\n", *sum, first->value);
  while (first) {
    Node* next = first->next;
    CHECK(cudaFree(first));
    first = next;
  }
  CHECK(cudaFree(sum));
}
