// The load parameters, whose layout depends on the version of the library: fields were inserted, not only appended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace onpar {

enum class FieldType { kText, kInt32, kInt64, kDouble };

struct FieldPlace {
  const char* name;
  FieldType type;
  int32_t since;
  size_t offset;
};

struct ParamsLayout {
  std::vector<FieldPlace> fields;
  size_t size;
};

// The fields of a version with the offsets that a C compiler gives them. Versions above the newest one known are laid out
// as that one.
ParamsLayout layout_of(int32_t abi_version);

// The version that a field came with; 0 when there is no such field.
int32_t field_since(const std::string& name);

using ParamValue = std::variant<std::string, int64_t, double>;

// Load parameters in the library's layout, zero where nothing was set. The buffer is larger than every known layout, so
// that a newer library reads zeroes behind what is known here.
class ModelParams {
 public:
  // Throws std::invalid_argument for a field that the version does not have or a value of another kind.
  ModelParams(int32_t abi_version, std::map<std::string, ParamValue> values);

  // Valid as long as this object is.
  const void* data() const { return buffer_.data(); }

 private:
  std::map<std::string, ParamValue> values_;
  std::vector<uint64_t> buffer_;
};

}  // namespace onpar
