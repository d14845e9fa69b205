// Shifts the letters of a message, one thread per letter.
#include <cstdio>
#include <cstring>

__global__ void shift(char *text, int length, int by)
{
    int i = threadIdx.x;
    if (i < length && text[i] >= 'a' && text[i] <= 'z')
        text[i] = 'a' + (text[i] - 'a' + by) % 26;
}

int main(void)
{
    char message[] = "meet me at the old mill at noon", coded[sizeof(message)];
    int length = strlen(message);
    char *dev_text;
    cudaMalloc((void **)&dev_text, sizeof(message));
    cudaMemcpy(dev_text, message, sizeof(message), cudaMemcpyHostToDevice);
    shift<<<1, 64>>>(dev_text, length, 3);
    cudaMemcpy(coded, dev_text, sizeof(message), cudaMemcpyDeviceToHost);
    printf("%s\n", coded);
    cudaFree(dev_text);
    return strcmp(coded, "phhw ph dw wkh rog ploo dw qrrq") != 0;
}
