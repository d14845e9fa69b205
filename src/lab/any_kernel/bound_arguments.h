// Arguments of a launch in device memory, and what the kernel left in its buffers.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.h"
#include "lab/any_kernel/argument_spec.h"
#include "lab/result.h"

namespace cudalab::lab {

// The arguments of a launch on a device: memory, textures and surfaces that specifications stand for, filled
// and read back.

// Elements that a user may print: of a buffer, a texture, a surface or a variable of the program.
struct BoundElements {
  ArgumentSpec spec;
  std::string name;      // "x", "particles.1", "rows[2]"
  std::string position;  // "2", "2.1": of the argument, beginning with 1; a variable has none
  std::uint64_t address = 0;
  device::Buffer buffer;  // where it owns its memory
  device::TextureArray array;
  Bytes initial;  // empty where nothing is written before the launch
  bool is_variable = false;
};

class BoundArguments {
 public:
  // Throws Error(kUnavailable) where memory lacks.
  explicit BoundArguments(device::Device& device) : device_(device) {}

  // The next argument.
  void add(const ArgumentSpec& spec, const std::string& name);
  // A `__constant__` or `__device__` variable of so many bytes. A buffer of just that size is its content;
  // any other buffer is what the variable, a pointer, points to. Numbers may be fewer.
  void add_variable(const ArgumentSpec& spec, const std::string& name, std::uint64_t address,
                    std::size_t bytes);

  const std::vector<device::Argument>& arguments() const { return arguments_; }
  const std::list<BoundElements>& elements() const { return elements_; }

  // Puts everything in its state before the launch.
  void fill() const;
  Bytes read(const BoundElements& elements) const;

 private:
  struct Upload {
    std::uint64_t address = 0;
    Bytes bytes;
  };
  Bytes bytes_of(const ArgumentSpec& spec, const std::string& name, const std::string& position);
  Bytes bytes_of_parts(const ArgumentSpec& spec, const std::string& name, const std::string& position);
  std::uint64_t make_buffer(const ArgumentSpec& spec, const std::string& name, const std::string& position);
  std::uint64_t make_pointers(const ArgumentSpec& spec, const std::string& name, const std::string& position);
  std::uint64_t make_texture(const ArgumentSpec& spec, const std::string& name, const std::string& position);
  BoundElements& new_elements(const ArgumentSpec& spec, const std::string& name, const std::string& position);

  device::Device& device_;
  std::vector<device::Argument> arguments_;
  std::list<BoundElements> elements_;
  std::list<device::Buffer> memory_of_pointers_;
  std::vector<Upload> uploads_;  // what is no one's elements: pointers, and numbers in variables
  std::list<device::Texture> textures_;
  std::list<device::Surface> surfaces_;
};

// Of all that a specification asks for.
double bytes_of_memory(const ArgumentSpec& spec);

// What unwritten elements of the type hold.
std::uint8_t poison_of(ScalarType type);

// What a kernel left in its buffers: sentences and prints.

// "out (1000 x f32): digest 0x…, 3 elements never written."
Message note_on(const BoundElements& elements, const Bytes& bytes);

// Rows of 8 elements after the index of the first, in columns.
Figure print_of(const PrintRange& range, const BoundElements& elements, const Bytes& bytes);

}  // namespace cudalab::lab
