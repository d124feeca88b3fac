// Sampling parameters that own the texts they point to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "abi.h"

namespace onpar {

struct Sampling {
  float temperature = 0;
  float top_p = 1;
  int32_t top_k = 0;
  float min_p = 0;
  int32_t max_tokens = 0;
  std::optional<uint64_t> seed;
  float presence_penalty = 0;
  float frequency_penalty = 0;
  float repetition_penalty = 1;
  int32_t min_tokens = 0;
  bool ignore_eos = false;
  std::vector<std::string> stop;
  std::optional<std::string> json_schema;
  std::optional<std::string> grammar;
  bool json_object = false;
};

// The library's view of a Sampling, valid as long as that is and unchanged.
class SamplingView {
 public:
  explicit SamplingView(const Sampling& from) {
    for (const std::string& text : from.stop) stop_.push_back(text.c_str());
    abi_.temperature = from.temperature;
    abi_.top_p = from.top_p;
    abi_.top_k = from.top_k;
    abi_.min_p = from.min_p;
    abi_.max_tokens = from.max_tokens;
    abi_.seed = from.seed.value_or(0);
    abi_.has_seed = from.seed.has_value() ? 1 : 0;
    abi_.presence_penalty = from.presence_penalty;
    abi_.frequency_penalty = from.frequency_penalty;
    abi_.repetition_penalty = from.repetition_penalty;
    abi_.min_tokens = from.min_tokens;
    abi_.ignore_eos = from.ignore_eos ? 1 : 0;
    abi_.stop = stop_.empty() ? nullptr : stop_.data();
    abi_.n_stop = static_cast<int32_t>(stop_.size());
    abi_.structured_json = from.json_schema ? from.json_schema->c_str() : nullptr;
    abi_.structured_grammar = from.grammar ? from.grammar->c_str() : nullptr;
    abi_.structured_json_object = from.json_object ? 1 : 0;
  }
  SamplingView(const SamplingView&) = delete;
  SamplingView& operator=(const SamplingView&) = delete;

  const AbiSampling* get() const { return &abi_; }

 private:
  std::vector<const char*> stop_;
  AbiSampling abi_{};
};

}  // namespace onpar
