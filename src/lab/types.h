// From the name of an element type on the command line to a C++ type.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "core/scalar_type.h"

namespace cudalab::lab {

template <class T>
struct TypeTag {
  using type = T;
};

// Calls work(TypeTag<float>{}) for "f32" and work(TypeTag<double>{}) for "f64":
// `with_real_type(run.options().text("type"), [&](auto tag) { transpose<typename decltype(tag)::type>(run);
// });`
template <class Function>
void with_real_type(std::string_view name, const Function& work) {
  if (name == "f32") return work(TypeTag<float>{});
  if (name == "f64") return work(TypeTag<double>{});
  throw std::logic_error("no real type is called " + std::string(name));
}

// float and double to the type's row in the table.
template <class T>
inline constexpr ScalarType kRealType = sizeof(T) == sizeof(float) ? ScalarType::kF32 : ScalarType::kF64;

// "f32" to "float": for the define TYPE.
inline std::string cuda_name(std::string_view name) {
  const auto type = scalar_type_named(name);
  if (!type) throw std::logic_error("no type is called " + std::string(name));
  return std::string(info(*type).cuda_name);
}

}  // namespace cudalab::lab
