// Text on its way to JavaScript.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace onpar {

// Appends `text` to `out` as well-formed UTF-8, with U+FFFD for what is none, and returns how many UTF-16 units that is:
// pieces of many requests travel in one string and are cut apart by these lengths.
uint32_t append_utf8(std::string& out, const char* text);

}  // namespace onpar
