// Caesar cipher and word count, one character per thread
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define SHIFT 5
#define THREADS 64

static const char *text =
    "It was a bright cold day in April, and the clocks were striking thirteen. "
    "The quick brown fox jumps over the lazy dog; Zebras, XYLOPHONES and "
    "vexing quizzes follow - 42 times! Waltz, bad nymph, for quick jigs vex";

__device__ bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

__global__ void caesar(const char *in, char *out, int n, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    char c = in[i];
    if (c >= 'a' && c <= 'z')
        c = (c - 'a' + shift) % 26 + 'a';
    else if (c >= 'A' && c <= 'Z')
        c = (c - 'A' + shift) % 26 + 'A';
    out[i] = c;
}

__global__ void countWords(const char *in, int n, int *words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    // a word starts at a letter without a letter before it
    if (isLetter(in[i]) && (i == 0 || !isLetter(in[i - 1])))
        atomicAdd(words, 1);
}

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "requirement not met: %s\n", what);
    exit(10);
}

int main()
{
    int n = (int)strlen(text);
    int blocks = (n + THREADS - 1) / THREADS;

    char *d_plain, *d_secret, *d_back;
    int *d_words;
    cudaMalloc(&d_plain, n);
    cudaMalloc(&d_secret, n);
    cudaMalloc(&d_back, n);
    cudaMalloc(&d_words, sizeof(int));
    cudaMemcpy(d_plain, text, n, cudaMemcpyHostToDevice);

    caesar<<<blocks, THREADS>>>(d_plain, d_secret, n, SHIFT);
    caesar<<<blocks, THREADS>>>(d_secret, d_back, n, 26 - SHIFT);

    // the cipher must not change the number of words
    int words[2];
    const char *versions[2] = {d_plain, d_secret};
    for (int v = 0; v < 2; v++) {
        cudaMemset(d_words, 0, sizeof(int));
        countWords<<<blocks, THREADS>>>(versions[v], n, d_words);
        cudaMemcpy(&words[v], d_words, sizeof(int), cudaMemcpyDeviceToHost);
    }

    char *secret = (char *)calloc(n + 1, 1);
    char *back = (char *)calloc(n + 1, 1);
    cudaMemcpy(secret, d_secret, n, cudaMemcpyDeviceToHost);
    cudaMemcpy(back, d_back, n, cudaMemcpyDeviceToHost);
    printf("%s\n%s\n", secret, back);

    int expectedWords = 0;
    for (int i = 0; i < n; i++) {
        unsigned char c = text[i];
        if (isalpha(c) && (i == 0 || !isalpha((unsigned char)text[i - 1])))
            expectedWords++;
        char want = c;
        if (islower(c))
            want = "abcdefghijklmnopqrstuvwxyz"[(c - 'a' + 5) % 26];
        if (isupper(c))
            want = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(c - 'A' + 5) % 26];
        require(secret[i] == want, "secret text");
    }
    require(strcmp(back, text) == 0, "decrypted text equals the original");
    require(words[0] == expectedWords, "number of words (plain)");
    require(words[1] == expectedWords, "number of words (secret)");
    printf("all requirements met, %d words\n", words[0]);

    cudaFree(d_plain);
    cudaFree(d_secret);
    cudaFree(d_back);
    cudaFree(d_words);
    free(secret);
    free(back);
    return 0;
}
