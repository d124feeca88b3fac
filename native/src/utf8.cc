#include "utf8.h"

#include <cstring>

namespace onpar {

namespace {

struct Character {
  bool valid;
  // Of one that is not valid: the bytes that one U+FFFD stands for, as the Encoding Standard cuts them.
  size_t length;
};

Character character_at(const unsigned char* at, size_t left) {
  const unsigned char lead = at[0];
  size_t length;
  unsigned char lowest = 0x80;
  unsigned char highest = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) lowest = 0xA0;
    if (lead == 0xED) highest = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) lowest = 0x90;
    if (lead == 0xF4) highest = 0x8F;
  } else {
    return {false, 1};
  }
  for (size_t i = 1; i < length; i++) {
    if (i >= left || at[i] < lowest || at[i] > highest) return {false, i};
    lowest = 0x80;
    highest = 0xBF;
  }
  return {true, length};
}

}  // namespace

uint32_t append_utf8(std::string& out, const char* text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text);
  const size_t size = std::strlen(text);
  uint32_t units = 0;
  size_t at = 0;
  while (at < size) {
    size_t plain = at;
    while (plain < size && bytes[plain] < 0x80) plain++;
    if (plain > at) {
      out.append(text + at, plain - at);
      units += static_cast<uint32_t>(plain - at);
      at = plain;
      continue;
    }
    const Character character = character_at(bytes + at, size - at);
    if (character.valid) {
      out.append(text + at, character.length);
      units += character.length == 4 ? 2 : 1;
    } else {
      out.append("\xEF\xBF\xBD");
      units += 1;
    }
    at += character.length;
  }
  return units;
}

}  // namespace onpar
