// Doubles the values of a linked list in managed memory, one node per thread.
#include <cstdio>

struct Node {
    int value;
    Node* next;
};

__global__ void double_values(Node* head, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    Node* node = head;
    for (int step = 0; step < i; ++step)
        node = node->next;
    node->value *= 2;
}

int main()
{
    const int length = 100;
    Node* head = nullptr;
    for (int i = 0; i < length; ++i) {
        Node* node;
        cudaMallocManaged(&node, sizeof(Node));
        node->value = i;
        node->next = head;
        head = node;
    }
    double_values<<<(length + 31) / 32, 32>>>(head, length);
    cudaDeviceSynchronize();
    int wrong = 0, expected = length - 1;
    while (head) {
        wrong += head->value != 2 * expected--;
        Node* next = head->next;
        cudaFree(head);
        head = next;
    }
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
