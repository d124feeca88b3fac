#include "model_params.h"

#include <cstring>
#include <limits>
#include <stdexcept>

#include "abi.h"

namespace onpar {

namespace {

constexpr size_t kBufferBytes = 4096;

struct Field {
  const char* name;
  FieldType type;
  int32_t since;
};

// In the order of the structure.
constexpr Field kFields[] = {
    {"model_path", FieldType::kText, 1},
    {"tokenizer_config_path", FieldType::kText, 1},
    {"block_size", FieldType::kInt32, 1},
    {"num_blocks", FieldType::kInt32, 1},
    {"max_model_len", FieldType::kInt32, 1},
    {"max_num_seqs", FieldType::kInt32, 1},
    {"tool_parser", FieldType::kText, 4},
    {"reasoning_parser", FieldType::kText, 5},
    {"speculative_config", FieldType::kText, 6},
    {"enable_prefix_caching", FieldType::kInt32, 7},
    {"max_num_batched_tokens", FieldType::kInt32, 9},
    {"scheduling_policy", FieldType::kText, 9},
    {"kv_transfer_config", FieldType::kText, 9},
    {"offload_config", FieldType::kText, 21},
    {"enable_jump_forward", FieldType::kInt32, 10},
    {"disable_sliding_window", FieldType::kInt32, 26},
    {"device", FieldType::kInt32, 14},
    {"gpu_memory_utilization", FieldType::kDouble, 16},
    {"kv_cache_memory_bytes", FieldType::kInt64, 16},
    {"language_model_only", FieldType::kInt32, 19},
    {"limit_mm_per_prompt", FieldType::kText, 19},
    {"mmproj_path", FieldType::kText, 22},
    {"kv_cache_dtype", FieldType::kText, 24},
};

size_t size_of(FieldType type) {
  switch (type) {
    case FieldType::kText:
      return sizeof(const char*);
    case FieldType::kInt32:
      return sizeof(int32_t);
    case FieldType::kInt64:
      return sizeof(int64_t);
    case FieldType::kDouble:
      return sizeof(double);
  }
  return 0;
}

// Alignment within a structure, which on some 32-bit systems is less than the size.
size_t alignment_of(FieldType type) {
  struct Int64 {
    char before;
    int64_t field;
  };
  struct Double {
    char before;
    double field;
  };
  switch (type) {
    case FieldType::kText:
      return alignof(const char*);
    case FieldType::kInt32:
      return alignof(int32_t);
    case FieldType::kInt64:
      return offsetof(Int64, field);
    case FieldType::kDouble:
      return offsetof(Double, field);
  }
  return 1;
}

size_t round_up(size_t value, size_t alignment) { return (value + alignment - 1) / alignment * alignment; }

}  // namespace

ParamsLayout layout_of(int32_t abi_version) {
  ParamsLayout layout{{}, 0};
  size_t end = 0;
  size_t widest = 1;
  for (const Field& field : kFields) {
    if (field.since > abi_version) continue;
    const size_t alignment = alignment_of(field.type);
    const size_t offset = round_up(end, alignment);
    layout.fields.push_back({field.name, field.type, field.since, offset});
    end = offset + size_of(field.type);
    if (alignment > widest) widest = alignment;
  }
  layout.size = round_up(end, widest);
  return layout;
}

int32_t field_since(const std::string& name) {
  for (const Field& field : kFields) {
    if (name == field.name) return field.since;
  }
  return 0;
}

ModelParams::ModelParams(int32_t abi_version, std::map<std::string, ParamValue> values)
    : values_(std::move(values)), buffer_(kBufferBytes / sizeof(uint64_t), 0) {
  const ParamsLayout layout = layout_of(abi_version);
  size_t placed = 0;
  for (const FieldPlace& field : layout.fields) {
    const auto found = values_.find(field.name);
    if (found == values_.end()) continue;
    placed++;
    auto* target = reinterpret_cast<char*>(buffer_.data()) + field.offset;
    const auto refuse = [&](const char* kind) {
      throw std::invalid_argument(std::string(field.name) + " must be " + kind);
    };
    const auto* text = std::get_if<std::string>(&found->second);
    const auto* integer = std::get_if<int64_t>(&found->second);
    const auto* number = std::get_if<double>(&found->second);
    switch (field.type) {
      case FieldType::kText: {
        if (text == nullptr || text->find('\0') != std::string::npos) refuse("a text without NUL");
        const char* pointer = text->c_str();
        std::memcpy(target, &pointer, sizeof pointer);
        break;
      }
      case FieldType::kInt32: {
        if (integer == nullptr || *integer < std::numeric_limits<int32_t>::min() ||
            *integer > std::numeric_limits<int32_t>::max()) {
          refuse("an integer of 32 bits");
        }
        const auto value = static_cast<int32_t>(*integer);
        std::memcpy(target, &value, sizeof value);
        break;
      }
      case FieldType::kInt64:
        if (integer == nullptr) refuse("an integer");
        std::memcpy(target, integer, sizeof *integer);
        break;
      case FieldType::kDouble: {
        if (integer == nullptr && number == nullptr) refuse("a number");
        const double value = number != nullptr ? *number : static_cast<double>(*integer);
        std::memcpy(target, &value, sizeof value);
        break;
      }
    }
  }
  if (placed == values_.size()) return;
  for (const auto& [name, value] : values_) {
    const int32_t since = field_since(name);
    if (since == 0) throw std::invalid_argument(name + " is not a load parameter");
    if (since > abi_version) {
      throw std::invalid_argument(name + " needs ABI version " + std::to_string(since) + ", and the library has " +
                                  std::to_string(abi_version));
    }
  }
}

}  // namespace onpar
