// Counts the letters of a text with atomic operations in device memory.
#include <cctype>
#include <cstdio>
#include <cstring>

__global__ void count_letters(const char* text, int length, int* counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length && text[i] >= 'a' && text[i] <= 'z')
        atomicAdd(&counts[text[i] - 'a'], 1);
}

int main()
{
    static char text[5000];
    const char* phrase = "pack my box with five dozen liquor jugs. ";
    for (int i = 0; i < 5000; ++i)
        text[i] = phrase[i * 3 % strlen(phrase)];
    int counts[26], expected[26] = {0};
    for (char letter : text)
        if (islower(letter))
            ++expected[letter - 'a'];
    char* d_text;
    int* d_counts;
    cudaMalloc(&d_text, sizeof(text));
    cudaMalloc(&d_counts, sizeof(counts));
    cudaMemcpy(d_text, text, sizeof(text), cudaMemcpyHostToDevice);
    cudaMemset(d_counts, 0, sizeof(counts));
    count_letters<<<20, 256>>>(d_text, sizeof(text), d_counts);
    cudaMemcpy(counts, d_counts, sizeof(counts), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < 26; ++i)
        wrong += counts[i] != expected[i];
    printf("%d wrong\n", wrong);
    cudaFree(d_text);
    cudaFree(d_counts);
    return wrong > 0;
}
