// The arrays of a lab. Each has a host side for CPU versions and checks, and a device side for kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/device.h"

namespace cudalab::lab {

enum class ArrayRole {
  kInput,    // filled once; restored if a kernel may have changed it
  kOutput,   // poisoned before every run, downloaded and checked after it
  kScratch,  // on the device only: poisoned before every run; a stage's body may download it
  kResult,   // on the host only: what the host computes from a kernel's output
};

// Poison: the byte that memory is filled with before a run. It makes NaN in every floating type, and in
// integers a value that is unlikely in a lab's data.
inline constexpr std::uint8_t kFloatPoison = 0xff, kIntegerPoison = 0xa5;
template <class T>
inline constexpr std::uint8_t kPoison = std::is_floating_point_v<T> ? kFloatPoison : kIntegerPoison;

class Array {
 public:
  virtual ~Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  const std::string& name() const { return name_; }
  ArrayRole role() const { return role_; }
  // A kernel's argument. Has no device memory if the role is kResult.
  const device::Buffer& device() const { return device_; }
  virtual std::span<std::byte> host_bytes() = 0;
  // The host side as numbers; empty if its elements are none.
  virtual std::vector<double> numbers() const = 0;
  std::uint8_t poison() const { return poison_; }

 protected:
  Array(ArrayRole role, std::string name, std::uint8_t poison, device::Buffer device)
      : role_(role), name_(std::move(name)), poison_(poison), device_(std::move(device)) {}

 private:
  ArrayRole role_;
  std::string name_;
  std::uint8_t poison_;
  device::Buffer device_;
};

template <class T>
class ArrayOf : public Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ArrayOf(ArrayRole role, std::string name, std::size_t count, std::vector<T> host, device::Buffer device)
      : Array(role, std::move(name), kPoison<T>, std::move(device)), count_(count), host_(std::move(host)) {}
  std::size_t size() const { return count_; }
  std::span<T> host() { return host_; }  // empty for kScratch until a body downloads it
  std::span<const T> host() const { return host_; }
  std::span<std::byte> host_bytes() override { return std::as_writable_bytes(std::span(host_)); }
  std::vector<double> numbers() const override {
    if constexpr (std::is_arithmetic_v<T>) return {host_.begin(), host_.end()};
    return {};
  }
  void make_room_on_host() { host_.resize(count_); }

 private:
  std::size_t count_;
  std::vector<T> host_;
};

}  // namespace cudalab::lab
