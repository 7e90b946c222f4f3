// Counts of sequences of tokens.
#include <algorithm>
#include <map>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

// The n-grams of a pool, and where their counts go.
std::map<std::vector<int64_t>, std::vector<size_t>> pool_of(const NodeRun& n, int64_t shortest, int64_t longest) {
  const auto tokens = n.integers("pool_int64s"), starts = n.integers("ngram_counts");
  if (!tokens || !starts) n.refuse("a pool of strings, or none", "a pool of integers");
  std::map<std::vector<int64_t>, std::vector<size_t>> pool;
  size_t next = 0;
  for (size_t length = 1; length <= starts->size(); ++length) {
    const int64_t first = (*starts)[length - 1], end = length < starts->size() ? (*starts)[length] : static_cast<int64_t>(tokens->size());
    if (first < 0 || end < first || end > static_cast<int64_t>(tokens->size())) n.refuse("n-grams outside of the pool", "starts in order");
    for (int64_t at = first; at + static_cast<int64_t>(length) <= end; at += static_cast<int64_t>(length), ++next) {
      const auto size = static_cast<int64_t>(length);
      if (size >= shortest && size <= longest) pool[{tokens->begin() + at, tokens->begin() + at + size}].push_back(next);
    }
  }
  return pool;
}

void tf_idf_vectorizer(NodeRun& n) {
  const int64_t shortest = n.integer("min_gram_length", 1), longest = n.integer("max_gram_length", 1),
                skips = n.integer("max_skip_count", 0);
  const auto pool = pool_of(n, shortest, longest);
  const std::vector<int64_t> places = n.integers("ngram_indexes").value_or(std::vector<int64_t>());
  const std::vector<float> weights = n.numbers("weights");
  const std::string_view mode = n.string("mode", "TF");
  if (places.empty() || *std::ranges::min_element(places) < 0) n.refuse("no places for counts", "one for each n-gram");
  const int64_t width = *std::ranges::max_element(places) + 1;
  const Sizes sizes = n.sizes(0);
  const int64_t rows = sizes.size() == 2 ? sizes[0] : 1, length = sizes.empty() ? 1 : sizes.back();
  const std::vector<int64_t> tokens = n.integers(0);
  Tensor made = Tensor::empty(DType::float32, {rows, width});
  std::fill_n(made.data<float>(), made.numel(), 0.0F);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t* const from = tokens.data() + row * length;
    for (int64_t step = 1; step <= skips + 1; ++step) {
      for (int64_t size = shortest; size <= longest; ++size) {
        if (size == 1 && step > 1) continue;  // there is nothing to skip
        for (int64_t at = 0; at + (size - 1) * step < length; ++at) {
          std::vector<int64_t> gram;
          for (int64_t k = 0; k < size; ++k) gram.push_back(from[at + k * step]);
          const auto found = pool.find(gram);
          if (found == pool.end()) continue;
          for (const size_t i : found->second) {
            if (i >= places.size()) n.refuse(concat(places.size(), " places for counts"), concat("more than ", i));
            float& count = made.data<float>()[row * width + places[i]];
            const float weight = i < weights.size() ? weights[i] : 1;
            if (mode == "TF")
              count += 1;
            else if (mode == "TFIDF")
              count += weight;
            else
              count = weight;
          }
        }
      }
    }
  }
  n.give(sizes.size() == 2 ? made : n.reshaped(made, Shape{width}));
}

constexpr NodeKind kinds[] = {
    {"TfIdfVectorizer", tf_idf_vectorizer},
};

}  // namespace

std::span<const NodeKind> text_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
