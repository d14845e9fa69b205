// Registered members of the host's own objects, in pages that also hold other data.
#include "check.h"

#include <vector>

struct Message {
  char title[24];
  int numbers[6];
  int answer;
};

__global__ void reply(Message* message) {
  int sum = 0;
  for (int number : message->numbers) sum += number;
  message->answer = sum;
}

int main() {
  std::vector<Message> messages(3);
  for (int i = 0; i < 3; i++) {
    std::snprintf(messages[i].title, sizeof messages[i].title, "message %d", i);
    for (int k = 0; k < 6; k++) messages[i].numbers[k] = i * 10 + k;
  }
  CHECK(cudaHostRegister(messages.data(), messages.size() * sizeof(Message), cudaHostRegisterMapped));
  for (Message& message : messages) {
    Message* seen;
    CHECK(cudaHostGetDevicePointer(&seen, &message, 0));
    reply<<<1, 1>>>(seen);
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(messages.data()));
  for (const Message& message : messages) std::printf("%s: %d\n", message.title, message.answer);
}
