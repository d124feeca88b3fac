#include "utf8.h"

#include <cstring>

namespace onpar {

namespace {

// Bytes of the character that starts here, or 0 when none does.
size_t character_length(const unsigned char* at, size_t left) {
  const unsigned char lead = at[0];
  size_t length;
  uint32_t lowest;
  uint32_t code;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, lowest = 0x80, code = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, lowest = 0x800, code = lead & 0x0Fu;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, lowest = 0x10000, code = lead & 0x07u;
  } else {
    return 0;
  }
  if (left < length) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xC0u) != 0x80u) return 0;
    code = (code << 6) | (at[i] & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < lowest || code > 0x10FFFF || surrogate ? 0 : length;
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
    const size_t length = character_length(bytes + at, size - at);
    if (length == 0) {
      out.append("\xEF\xBF\xBD");
      units += 1;
      at += 1;
    } else {
      out.append(text + at, length);
      units += length == 4 ? 2 : 1;
      at += length;
    }
  }
  return units;
}

}  // namespace onpar
