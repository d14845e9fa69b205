// A lock in global memory: one thread per block acquires it, changes two related words, and releases it.
#include "check.h"

struct Account {
  int lock, balance, entries;
};

__global__ void pay(Account* account, int amount) {
  if (threadIdx.x) return;
  while (atomicCAS(&account->lock, 0, 1) != 0) __nanosleep(20);
  __threadfence();
  volatile Account* inside = account;
  inside->balance = inside->balance + amount * (int)(blockIdx.x + 1);
  inside->entries = inside->entries + 1;
  __threadfence();
  atomicExch(&account->lock, 0);
}

int main() {
  Account h = {}, *d;
  CHECK(cudaMalloc(&d, sizeof h));
  CHECK(cudaMemset(d, 0, sizeof h));
  pay<<<40, 32>>>(d, 5);
  CHECK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", h.lock, h.balance, h.entries);
  CHECK(cudaFree(d));
}
