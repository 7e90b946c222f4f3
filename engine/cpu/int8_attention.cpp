// Threads share blocks of queries. The keys and values of a head are packed once for the blocks that a thread takes in turn; the scores of
// a block stay in the cache until they are probabilities.
#include "engine/cpu/int8_attention.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/int8_matrix.h"
#include "engine/cpu/int8_product.h"
#include "engine/cpu/int8_softmax.h"

namespace mt::cpu {
namespace {

constexpr int64_t worth_a_thread = 1 << 20;  // products
constexpr int64_t most_scores = 1 << 15;     // of a block: 128 KB
constexpr int64_t least_queries = 16;        // of a block: what a tile register holds

constexpr double log2_e = 1.4426950408889634;  // scores are binary logarithms

size_t panels_of(int64_t columns) { return static_cast<size_t>(int8_panels(columns)); }
size_t padded(int64_t columns) { return panels_of(columns) * int8_panel; }
int64_t in_blocks_of(int64_t depth) { return int8_blocks(depth) * int8_depth; }

// Rows in the form that kernels read.
class Rows {
 public:
  Rows(const Int8Kernel& kernel, int64_t length) : is_wide_(kernel.wide), length_(length) {
    if (is_wide_) wide_.resize(static_cast<size_t>(int8_block_rows * length));
  }

  void set(int64_t r, const uint8_t* from) {
    if (!is_wide_) {
      places_[r] = from;
      return;
    }
    int16_t* const to = wide_.data() + r * length_;
    std::copy_n(from, length_, to);
    places_[r] = to;
  }

  const void* const* places() const { return places_; }

 private:
  bool is_wide_;
  int64_t length_;
  std::vector<int16_t> wide_;
  const void* places_[int8_block_rows] = {};
};

// What a thread needs for its blocks.
class Attention {
 public:
  explicit Attention(const Int8AttentionPlan& plan)
      : plan_(plan),
        s_(plan.sizes),
        kernel_(int8_kernel()),
        is_dynamic_(plan.query.data.dtype() == DType::float32),
        query_zero_(static_cast<int32_t>(plan.query_zero + (plan.query.data.dtype() == DType::int8 ? 128 : 0))),
        factor_(static_cast<float>(s_.scale * log2_e)),
        query_length_(in_blocks_of(s_.size)),
        room_(static_cast<int64_t>(padded(s_.keys))),
        key_(panels_of(s_.keys) * static_cast<size_t>(int8_panel_bytes(s_.size))),
        value_(panels_of(s_.value_size) * static_cast<size_t>(int8_panel_bytes(s_.keys))),
        queries_(kernel_, query_length_),
        rows_(kernel_, in_blocks_of(s_.keys)),
        query_(static_cast<size_t>(query_length_ * int8_block_rows + int8_slack)),
        scores_(static_cast<size_t>(block_queries(s_) * room_)),
        sums_(padded(s_.value_size) * static_cast<size_t>(block_queries(s_))),
        probabilities_(static_cast<size_t>(block_queries(s_) * room_ + int8_slack)),
        offsets_(padded(s_.keys)),
        multiplier_(padded(s_.value_size), plan.value_scale) {
    if (is_dynamic_) {
      of_keys_.resize(padded(s_.keys));
      quantized_.resize(static_cast<size_t>(s_.keys * std::max(s_.size, s_.value_size)));
    } else if (const int32_t zero = packed_zero(plan.value_zero, plan.value.data.dtype() == DType::int8); zero != 0) {
      value_zero_.assign(padded(s_.value_size), zero);
    }
    if (plan.mask.data) mask_.resize(static_cast<size_t>(room_));
  }

  // Queries of a block.
  static int64_t block_queries(const AttentionSizes& s) {
    const int64_t room = std::max<int64_t>(int8_panel, int8_panels(s.keys) * int8_panel);
    return std::min(s.queries, std::clamp(most_scores / room / least_queries * least_queries, least_queries, int8_block_rows));
  }

  void take_head(int64_t outer, int64_t head) {
    const int64_t shared = head / s_.sharing;
    if (outer == outer_ && shared == shared_) return;
    outer_ = outer;
    shared_ = shared;
    const bool key_is_signed = is_dynamic_ || plan_.key.data.dtype() == DType::int8,
               value_is_signed = is_dynamic_ || plan_.value.data.dtype() == DType::int8;
    Int8Matrix key{head_of(plan_.key, outer, shared), s_.size, s_.keys, 1, plan_.key.row_step};
    if (is_dynamic_) key = int8_quantize_columns(key, quantized_.data(), of_keys_.data());
    int8_pack_matrix(key, key_is_signed, key_.data());
    const int64_t key_bytes = int8_panel_bytes(s_.size);
    for (int64_t p = 0; p < int8_panels(s_.keys); ++p) {
      int32_t* const to = offsets_.data() + p * int8_panel;
      std::memcpy(to, key_.data() + (p + 1) * key_bytes - int8_block, int8_block);
      for (int64_t c = 0; c < int8_panel && !is_dynamic_; ++c) to[c] *= query_zero_;
    }
    Int8Matrix value{head_of(plan_.value, outer, shared), s_.keys, s_.value_size, plan_.value.row_step, 1};
    if (is_dynamic_) {
      value = int8_quantize_columns(value, quantized_.data(), multiplier_.data());
      for (int64_t c = 0; c < s_.value_size; ++c) multiplier_[static_cast<size_t>(c)] *= plan_.value_scale;
    }
    int8_pack_matrix(value, value_is_signed, value_.data());
  }

  void run(int64_t outer, int64_t head, int64_t first) {
    const int64_t count = std::min(block_queries(s_), s_.queries - first);
    take_queries(outer, head, first, count);
    // With causality, nobody in this block sees the keys behind.
    const int64_t keys = s_.causal ? std::min(s_.keys, first + count) : s_.keys;
    const int64_t bytes = int8_panel_bytes(s_.size);
    int8_multiply_rows(kernel_, count, int8_panels(keys),
                       {queries_.places(), int8_block_rows, 1, int8_blocks(s_.size), key_.data(), bytes, scores_.data(), room_});
    for (int64_t r = 0; r < count; ++r) {
      const int64_t seen = s_.causal ? std::min(s_.keys, first + r + 1) : s_.keys;
      uint8_t* const to = probabilities_.data() + r * room_;
      const int32_t total = int8_softmax({scores_.data() + r * room_, seen, room_, of_queries_[r], offsets_.data(),
                                          is_dynamic_ ? of_keys_.data() : nullptr, mask_of(outer, head, first + r, seen)},
                                         to);
      totals_[r] = total;
      of_rows_[r] = {total > 0 ? 1.0F / static_cast<float>(total) : 0.0F, 0};
      rows_.set(r, to);
    }
    const auto columns = static_cast<int64_t>(padded(s_.value_size));
    const int64_t value_bytes = int8_panel_bytes(s_.keys);
    int8_multiply_rows(kernel_, count, int8_panels(s_.value_size),
                       {rows_.places(), int8_block_rows, 1, int8_blocks(keys), value_.data(), value_bytes, sums_.data(), columns});
    const int64_t step = s_.value_size * size_of(plan_.res.dtype());
    const int64_t row = (outer * s_.heads + head) * s_.queries + first;
    int8_requantize({count, s_.value_size, sums_.data(), columns, value_.data() + int8_blocks(s_.keys) * int8_block, value_bytes, of_rows_,
                     true, totals_, multiplier_.data(), nullptr, value_zero_.empty() ? nullptr : value_zero_.data(),
                     static_cast<int32_t>(plan_.out_zero), plan_.res.dtype(), step},
                    plan_.res.data<std::byte>() + row * step);
  }

 private:
  static const std::byte* head_of(const HeadMatrices& all, int64_t outer, int64_t head) {
    return all.data.data<std::byte>() + (outer * all.outer_step + head * all.head_step) * size_of(all.data.dtype());
  }

  void take_queries(int64_t outer, int64_t head, int64_t first, int64_t count) {
    const std::byte* const from = head_of(plan_.query, outer, head);
    const bool is_signed = plan_.query.data.dtype() == DType::int8;
    if (is_dynamic_) {
      for (int64_t r = 0; r < count; ++r) {
        const float* const row = reinterpret_cast<const float*>(from) + (first + r) * plan_.query.row_step;
        const Int8Scale scale = int8_range(row, s_.size);
        uint8_t* const to = query_.data() + r * query_length_;
        int8_quantize(row, s_.size, scale, DType::uint8, to);
        std::fill(to + s_.size, to + query_length_, uint8_t{0});
        of_queries_[r] = {scale.scale * factor_, scale.zero};
        queries_.set(r, to);
      }
      return;
    }
    const bool copies = is_signed || s_.size != query_length_;
    const uint8_t* places[int8_block_rows];
    RowsOfMatrix(reinterpret_cast<const uint8_t*>(from), s_.size, plan_.query.row_step, copies, is_signed)
        .place(first, count, {places, query_.data(), query_length_});
    for (int64_t r = 0; r < count; ++r) {
      of_queries_[r] = {factor_, query_zero_};
      queries_.set(r, places[r]);
    }
  }

  // The mask of a query as numbers to add, or null.
  const float* mask_of(int64_t outer, int64_t head, int64_t query, int64_t keys) {
    const AttentionMask& m = plan_.mask;
    if (!m.data) return nullptr;
    const float* const from = m.data.data<float>() + outer * m.outer_step + head * m.head_step + query * m.row_step;
    if (from == masked_) return mask_.data();
    for (int64_t k = 0; k < keys; ++k) {
      const float v = from[k * m.key_step];
      mask_[static_cast<size_t>(k)] = !m.selects ? v * static_cast<float>(log2_e) : v != 0 ? 0.0F : -std::numeric_limits<float>::infinity();
    }
    masked_ = s_.causal ? nullptr : from;  // with causality the next query sees more keys
    return mask_.data();
  }

  const Int8AttentionPlan& plan_;
  const AttentionSizes& s_;
  const Int8Kernel& kernel_;
  bool is_dynamic_;
  int32_t query_zero_;
  float factor_;  // of scores
  int64_t query_length_, room_;
  std::vector<int8_t> key_, value_, quantized_;
  Rows queries_, rows_;
  std::vector<uint8_t> query_;
  std::vector<int32_t> scores_, sums_;
  std::vector<uint8_t> probabilities_;
  std::vector<int32_t> offsets_;  // of keys
  std::vector<float> multiplier_, of_keys_, mask_;
  std::vector<int32_t> value_zero_;
  Int8Scale of_queries_[int8_block_rows] = {}, of_rows_[int8_block_rows] = {};
  int32_t totals_[int8_block_rows] = {};
  int64_t outer_ = -1, shared_ = -1;
  const float* masked_ = nullptr;
};

}  // namespace

void run_int8_attention(const Int8AttentionPlan& plan) {
  const AttentionSizes& s = plan.sizes;
  const int64_t of_block = Attention::block_queries(s), blocks = (s.queries + of_block - 1) / of_block;
  const int64_t work = std::max<int64_t>(1, of_block * s.keys * (s.size + s.value_size));
  parallel_ranges(s.outer * s.heads * blocks, std::max<int64_t>(1, worth_a_thread / work), [&](int64_t begin, int64_t end) {
    Attention attention(plan);
    for (int64_t i = begin; i < end; ++i) {
      look_for_interrupt();
      const int64_t outer = i / (blocks * s.heads), head = i / blocks % s.heads;
      attention.take_head(outer, head);
      attention.run(outer, head, i % blocks * of_block);
    }
  });
}

}  // namespace mt::cpu
