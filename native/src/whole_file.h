// Whether a shared library is all there.
#pragma once

#include <string>

namespace onpar {

// The system's loader maps a library without looking at its length, and a file that was cut off ends the process with a
// bus error. Says what is missing; empty when nothing is, or when this is no ELF file, which the loader tells itself.
std::string what_is_cut_off(const std::string& path);

}  // namespace onpar
