// The catalogue of messages: the English sentence of each id. Generated from languages/messages/*.pot and
// labs/*/messages.pot; docs/messages.md lists it.
#pragma once

#include <span>
#include <string_view>

namespace cudalab {

struct CatalogueEntry {
  std::string_view id;       // "access_past_end"
  std::string_view english;  // "{verb} {element}: {count} past its last element"
  std::string_view plural;   // the English text for numbers other than 1; empty if the message does not count
  std::span<const std::string_view> slots;  // names in the order of their first appearance in `english`
  std::string_view area;                    // the catalogue file: "vgpu", or the name of a lab
};

// Sorted by id.
std::span<const CatalogueEntry> catalogue();

// Null if no message has this id.
const CatalogueEntry* find_message(std::string_view id);

}  // namespace cudalab
