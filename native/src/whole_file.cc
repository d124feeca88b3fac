#include "whole_file.h"

#if defined(__linux__) && defined(__LP64__)
#include <elf.h>

#include <cstring>
#include <fstream>
#endif

namespace onpar {

#if defined(__linux__) && defined(__LP64__)
std::string what_is_cut_off(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const auto size = static_cast<uint64_t>(file.tellg());
  Elf64_Ehdr header;
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return "";
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return "";
  for (uint64_t i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr part;
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * header.e_phentsize));
    const bool there = static_cast<bool>(file.read(reinterpret_cast<char*>(&part), sizeof part));
    if (!there || part.p_offset > size || part.p_filesz > size - part.p_offset) {
      return "the file is cut off at " + std::to_string(size) + " bytes";
    }
  }
  return "";
}
#else
std::string what_is_cut_off(const std::string&) { return ""; }
#endif

}  // namespace onpar
