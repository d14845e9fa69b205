// The arguments of a launch on a device: the memory, textures and surfaces that specifications describe,
// filled before the launch and read back after it.
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

// Elements that a user may print: those of a buffer, a texture, a surface or a variable of the program.
struct BoundElements {
  ArgumentSpec spec;
  std::string name;      // "x", "particles.1", "rows[2]"
  std::string position;  // "2", "2.1": the argument's, from 1; empty for a variable
  std::uint64_t address = 0;
  device::Buffer buffer;  // set if it owns its memory
  device::TextureArray array;
  Bytes initial;  // empty if nothing is written before the launch
  bool is_variable = false;
};

class BoundArguments {
 public:
  // Adding arguments throws Error(kUnavailable) if device memory does not suffice.
  explicit BoundArguments(device::Device& device) : device_(device) {}

  // Adds the next argument.
  void add(const ArgumentSpec& spec, const std::string& name);
  // Adds a `__constant__` or `__device__` variable of `bytes` bytes. A buffer of exactly that size is its
  // content; any other buffer is the target of the variable, which must be a pointer. There may be fewer
  // numbers than the variable has bytes for.
  void add_variable(const ArgumentSpec& spec, const std::string& name, std::uint64_t address,
                    std::size_t bytes);

  const std::vector<device::Argument>& arguments() const { return arguments_; }
  const std::list<BoundElements>& elements() const { return elements_; }

  // Writes the initial contents of all memory, as before the launch.
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
  std::vector<Upload> uploads_;  // data that belongs to no BoundElements: pointers, and numbers in variables
  std::list<device::Texture> textures_;
  std::list<device::Surface> surfaces_;
};

// The device memory that a specification needs, its parts included.
double bytes_of_memory(const ArgumentSpec& spec);

// The byte that unwritten elements of the type are filled with.
std::uint8_t poison_of(ScalarType type);

// Sentences and prints about what a kernel left in its buffers.

// "out (1000 x f32): digest 0x…, 3 elements never written."
Message note_on(const BoundElements& elements, const Bytes& bytes);

// Rows of 8 elements in columns; each row begins with the index of its first element.
Figure print_of(const PrintRange& range, const BoundElements& elements, const Bytes& bytes);

}  // namespace cudalab::lab
