// The CPU's kernels of scaled dot-product attention. The scores of a block of queries and a block of keys are computed with a row for each
// key: then the maximum and the sum over keys are operations between vectors, and keys and values are read as they lie. Blocks depend only
// on the sizes: results are the same bits for any number of threads. The algorithm is that of Dao et al. (2022), "FlashAttention".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/attention.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/functions-inl.h"

#include "engine/cpu/exp_nonpositive-inl.h"
#include "engine/cpu/first_lanes-inl.h"
#include "engine/cpu/small_product-inl.h"
#include "engine/ops/attention.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t most_queries = 64, most_keys = 128;  // of a block, whose scores take 32 KB in float32
constexpr int64_t strip = 24;                          // keys or queries next to the diagonal of causal scores: 2 or 4 tiles of rows
constexpr int64_t aligned_columns = 16;                // of scores: lanes of two vectors by AVX2
constexpr int64_t grain = 1 << 17;                     // multiplications per thread

template <class T> constexpr T infinity = std::numeric_limits<T>::infinity();

// The matrices of one head.
template <class T> struct Matrix {
  T* data;
  int64_t row_step;
  T* row(int64_t i) const { return data + i * row_step; }
};

template <class T> Matrix<T> head_of(const HeadMatrices& all, int64_t outer, int64_t head) {
  return {all.data.data<T>() + outer * all.outer_step + head * all.head_step, all.row_step};
}

// The mask of one head.
template <class T> struct HeadMask {
  HeadMask(const AttentionMask& mask, int64_t outer, int64_t head)
      : data(mask.data ? mask.data.data<T>() + outer * mask.outer_step + head * mask.head_step : nullptr),
        row_step(mask.row_step),
        key_step(mask.key_step),
        selects(mask.selects) {}

  const T* data;  // null if there is none
  int64_t row_step, key_step;
  bool selects;
};

// A block: queries from `first` on, and keys from `first_key` on.
struct Block {
  int64_t first, queries, first_key, keys;
};

// Calls f(block) for the keys of a block of queries, as far as these queries may see them.
template <class F> MT_FN void each_block_of_keys(const AttentionSizes& s, int64_t first, int64_t queries, F f) {
  const int64_t end = s.causal ? std::min(s.keys, first + queries) : s.keys;
  for (int64_t key = 0; key < end; key += most_keys) f(Block{first, queries, key, std::min(most_keys, end - key)});
}

// The keys of a block that all of its queries may see: with causality, keys from there on are on the diagonal.
MT_FN int64_t keys_for_all(const AttentionSizes& s, const Block& b) {
  return s.causal ? std::clamp<int64_t>(b.first - b.first_key, 0, b.keys) : b.keys;
}

// Calls f(first key, keys, query) for parts of a block's keys that queries before `query` may not see.
template <class F> MT_FN void each_strip_of_keys(const AttentionSizes& s, const Block& b, F f) {
  const int64_t all = keys_for_all(s, b);
  if (all > 0) f(int64_t{0}, all, int64_t{0});
  for (int64_t k = all; k < b.keys; k += strip) f(k, std::min(strip, b.keys - k), k - all);
}

// Calls f(first query, queries, keys) for parts of a block's queries that may see no more than its first `keys` keys.
template <class F> MT_FN void each_strip_of_queries(const AttentionSizes& s, const Block& b, F f) {
  const int64_t all = keys_for_all(s, b);
  if (all == b.keys) return f(int64_t{0}, b.queries, b.keys);
  for (int64_t i = 0; i < b.queries; i += strip) f(i, std::min(strip, b.queries - i), std::min(b.keys, all + i + strip));
}

// Elements of `rows`, transposed to most_queries columns and multiplied; 0 in columns without a row.
template <class T> void transpose(const Matrix<T>& rows, int64_t first, int64_t count, int64_t size, T factor, T* to) {
  for (int64_t e = 0; e < size; ++e, to += most_queries) {
    for (int64_t i = 0; i < count; ++i) to[i] = rows.row(first + i)[e] * factor;
    std::fill(to + count, to + most_queries, T(0));
  }
}

// Adds a mask to the scores of a block, or lets it select them. A few queries at once: their rows of the mask are read in order.
template <bool selects, class T> void apply_mask(const Block& b, const HeadMask<T>& mask, T* scores) {
  constexpr int64_t most = 16;
  for (int64_t first = 0; first < b.queries; first += most) {
    const int64_t end = std::min(b.queries, first + most);
    for (int64_t k = 0; k < b.keys; ++k) {
      const T* const of_key = mask.data + b.first * mask.row_step + (b.first_key + k) * mask.key_step;
      T* const row = scores + k * most_queries;
      for (int64_t i = first; i < end; ++i) {
        const T value = of_key[i * mask.row_step];
        row[i] = !selects ? row[i] + value : value != 0 ? row[i] : -infinity<T>;
      }
    }
  }
}

// Products of a block's keys or values (of `size` elements) with transposed rows of its queries, a row per key. With causality, elements
// of queries before the keys are left as they are.
template <class T>
void multiply_rows(const AttentionSizes& s, const Block& b, const Matrix<T>& keys, int64_t size, const T* transposed, T* products) {
  each_strip_of_keys(s, b, [&](int64_t k, int64_t count, int64_t query) {
    const int64_t column = query / aligned_columns * aligned_columns;
    SmallProduct<T>{count,
                    most_queries - column,
                    size,
                    keys.row(b.first_key + k),
                    keys.row_step,
                    1,
                    transposed + column,
                    most_queries,
                    products + k * most_queries + column,
                    most_queries}
        .run();
  });
}

// The scores of a block, a row per key: keys times queries, which are transposed and scaled; then the mask and causality.
template <class T>
void compute_scores(const AttentionSizes& s, const Block& b, const Matrix<T>& key, const T* queries, const HeadMask<T>& mask, T* scores) {
  multiply_rows(s, b, key, s.size, queries, scores);
  if (mask.data != nullptr) (mask.selects ? apply_mask<true, T> : apply_mask<false, T>)(b, mask, scores);
  if (!s.causal) return;
  for (int64_t k = std::max<int64_t>(0, b.first - b.first_key + 1); k < b.keys; ++k) {
    std::fill_n(scores + k * most_queries, std::min(most_queries, b.first_key + k - b.first), -infinity<T>);
  }
}

template <class T> using Rows = T[most_queries];

template <class T> MT_FN Simd<T> load(const T* p) { return Simd<T>(hn::LoadU(typename Simd<T>::D(), p)); }
template <class T> MT_FN void store(Simd<T> v, T* p) { hn::StoreU(v.v, typename Simd<T>::D(), p); }
template <class T> constexpr int64_t lanes_of = static_cast<int64_t>(hn::MaxLanes(typename Simd<T>::D()));
static_assert(aligned_columns % lanes_of<float> == 0);

// The running maxima, and the sums of exponentials less these maxima, of a block of queries.
template <class T> struct Softmax {
  using V = Simd<T>;

  Softmax() {
    std::fill_n(top, most_queries, -infinity<T>);
    std::fill_n(sum, most_queries, T(0));
  }

  // Replaces the scores of further keys by their exponentials; `factor` becomes what earlier exponentials must be multiplied by.
  void take(T* scores, int64_t keys, T* factor) {
    constexpr int vectors = 4;  // whole cache lines, and independent sums
    for (int64_t i = 0; i < most_queries; i += vectors * lanes_of<T>) {
      V now[vectors], total[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) now[v] = load(top + i + v * lanes_of<T>);
      for (int64_t k = 0; k < keys; ++k) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          const V score = load(scores + k * most_queries + i + v * lanes_of<T>);
          now[v] = select(score > now[v], score, now[v]);
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        const int64_t at = i + v * lanes_of<T>;
        const V before = load(top + at);
        store(now[v], top + at);
        now[v] = select(now[v] > V(-infinity<T>), now[v], V(0));  // no keys yet: all exponentials are 0
        const V scale = exp_nonpositive(before - now[v]);
        store(scale, factor + at);
        total[v] = load(sum + at) * scale;
      }
      for (int64_t k = 0; k < keys; ++k) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          T* const at = scores + k * most_queries + i + v * lanes_of<T>;
          const V e = exp_nonpositive(load(at) - now[v]);
          store(e, at);
          total[v] = total[v] + e;
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) store(total[v], sum + i + v * lanes_of<T>);
    }
  }

  T top[most_queries], sum[most_queries];
};

template <class T> MT_FN void scale_row(T* row, int64_t n, T factor) {
  const Simd<T> f(factor);
  int64_t i = 0;
  for (; i + lanes_of<T> <= n; i += lanes_of<T>) store(load(row + i) * f, row + i);
  for (; i < n; ++i) row[i] *= factor;
}

// The results of the queries from `first` on.
template <class T> void forward_block(const AttentionPlan& plan, int64_t outer, int64_t head, int64_t first, std::vector<T>& memory) {
  const AttentionSizes& s = plan.sizes;
  const int64_t queries = std::min(most_queries, s.queries - first), shared = head / s.sharing;
  memory.resize(static_cast<size_t>((s.size + most_keys) * most_queries));
  T *const transposed = memory.data(), *const scores = transposed + s.size * most_queries;
  const auto key = head_of<T>(plan.key, outer, shared), value = head_of<T>(plan.value, outer, shared);
  const HeadMask<T> mask(plan.mask, outer, head);
  transpose(head_of<T>(plan.query, outer, head), first, queries, s.size, static_cast<T>(s.scale), transposed);

  const int64_t row = (outer * s.heads + head) * s.queries + first;
  T* const res = plan.res.data<T>() + row * s.value_size;
  if (s.keys == 0) std::fill_n(res, queries * s.value_size, T(0));
  Softmax<T> softmax;
  each_block_of_keys(s, first, queries, [&](const Block& b) {
    Rows<T> factor;
    compute_scores(s, b, key, transposed, mask, scores);
    softmax.take(scores, b.keys, factor);
    for (int64_t i = 0; b.first_key > 0 && i < queries; ++i) {
      if (factor[i] != 1) scale_row(res + i * s.value_size, s.value_size, factor[i]);
    }
    each_strip_of_queries(s, b, [&](int64_t i, int64_t count, int64_t keys) {
      SmallProduct<T>{count,          s.value_size,           keys,         scores + i,     1, most_queries, value.row(b.first_key),
                      value.row_step, res + i * s.value_size, s.value_size, b.first_key > 0}
          .run();
    });
  });
  T* const logsum = plan.logsum.data<T>() + row;
  for (int64_t i = 0; i < queries; ++i) {
    const T sum = softmax.sum[i];
    scale_row(res + i * s.value_size, s.value_size, sum == 0 ? T(0) : 1 / sum);
    logsum[i] = softmax.top[i] + std::log(sum);
  }
}

template <class T> void forward_as(const AttentionPlan& plan) {
  const AttentionSizes& s = plan.sizes;
  const int64_t blocks = (s.queries + most_queries - 1) / most_queries;
  const int64_t work = std::max<int64_t>(1, std::min(most_queries, s.queries) * s.keys * (s.size + s.value_size));
  parallel_for(s.outer * s.heads * blocks, std::max<int64_t>(1, grain / work), [&](int64_t begin, int64_t end) {
    std::vector<T> memory;
    for (int64_t i = begin; i < end; ++i) {
      forward_block<T>(plan, i / (blocks * s.heads), i / blocks % s.heads, i % blocks * most_queries, memory);
    }
  });
}

// The backward pass of the query heads that share a head of key and value.
template <class T> class Backward {
 public:
  Backward(const AttentionGradPlan& plan, int64_t outer, int64_t shared, std::vector<T>& memory)
      : plan_(plan),
        s_(plan.sizes),
        outer_(outer),
        shared_(shared),
        key_(head_of<T>(plan.key, outer, shared)),
        value_(head_of<T>(plan.value, outer, shared)) {
    memory.resize(static_cast<size_t>((s_.size + s_.value_size + 2 * most_keys) * most_queries));
    queries_ = memory.data();
    g_ = queries_ + s_.size * most_queries;
    scores_ = g_ + s_.value_size * most_queries;
    slopes_ = scores_ + most_keys * most_queries;
    const int64_t row = (outer * (s_.heads / s_.sharing) + shared) * s_.keys;
    key_grad_ = plan.key_grad.data<T>() + row * s_.size;
    value_grad_ = plan.value_grad.data<T>() + row * s_.value_size;
  }

  void run() {
    std::fill_n(key_grad_, s_.keys * s_.size, T(0));
    std::fill_n(value_grad_, s_.keys * s_.value_size, T(0));
    for (int64_t head = shared_ * s_.sharing; head < (shared_ + 1) * s_.sharing; ++head) {
      for (int64_t first = 0; first < s_.queries; first += most_queries) {
        look_for_interrupt();
        run_queries(head, first, std::min(most_queries, s_.queries - first));
      }
    }
  }

 private:
  void run_queries(int64_t head, int64_t first, int64_t queries) {
    const auto query = head_of<T>(plan_.query, outer_, head), g = head_of<T>(plan_.g, outer_, head),
               res = head_of<T>(plan_.res, outer_, head);
    const HeadMask<T> mask(plan_.mask, outer_, head);
    transpose(query, first, queries, s_.size, static_cast<T>(s_.scale), queries_);
    transpose(g, first, queries, s_.value_size, T(1), g_);
    const int64_t row = (outer_ * s_.heads + head) * s_.queries + first;
    T* const query_grad = plan_.query_grad.data<T>() + row * s_.size;
    std::fill_n(query_grad, queries * s_.size, T(0));
    Rows<T> logsum = {}, dot = {};
    for (int64_t i = 0; i < queries; ++i) {
      logsum[i] = plan_.logsum.data<T>()[row + i];
      if (logsum[i] == -infinity<T>) logsum[i] = infinity<T>;  // no keys: all exponentials are 0
      for (int64_t e = 0; e < s_.value_size; ++e) dot[i] += g.row(first + i)[e] * res.row(first + i)[e];
    }
    each_block_of_keys(s_, first, queries, [&](const Block& b) {
      compute_scores(s_, b, key_, queries_, mask, scores_);
      multiply_rows(s_, b, value_, s_.value_size, g_, slopes_);
      apply_softmax(b, logsum, dot);
      const auto add_to_keys = [&](const T* factors, const Matrix<T>& rows, int64_t size, T* grads) {
        each_strip_of_keys(s_, b, [&](int64_t k, int64_t count, int64_t i) {
          SmallProduct<T>{count,
                          size,
                          queries - i,
                          factors + k * most_queries + i,
                          most_queries,
                          1,
                          rows.row(first + i),
                          rows.row_step,
                          grads + (b.first_key + k) * size,
                          size,
                          true}
              .run();
        });
      };
      add_to_keys(scores_, g, s_.value_size, value_grad_);
      add_to_keys(slopes_, query, s_.size, key_grad_);
      each_strip_of_queries(s_, b, [&](int64_t i, int64_t count, int64_t keys) {
        SmallProduct<T>{
            count,   s_.size, keys, slopes_ + i, 1, most_queries, key_.row(b.first_key), key_.row_step, query_grad + i * s_.size,
            s_.size, true}
            .run();
      });
    });
  }

  // Scores become probabilities; the gradients by probabilities become those by scores, times the scale.
  void apply_softmax(const Block& b, const T* logsum, const T* dot) {
    using V = Simd<T>;
    const V scale(static_cast<T>(s_.scale));
    each_strip_of_keys(s_, b, [&](int64_t first, int64_t count, int64_t query) HWY_ATTR {
      for (int64_t k = first; k < first + count; ++k) {
        T *const scores = scores_ + k * most_queries, *const slopes = slopes_ + k * most_queries;
        for (int64_t i = query / aligned_columns * aligned_columns; i < most_queries; i += lanes_of<T>) {
          const V p = exp_nonpositive(load(scores + i) - load(logsum + i));
          store(p, scores + i);
          store(p * (load(slopes + i) - load(dot + i)) * scale, slopes + i);
        }
      }
    });
  }

  const AttentionGradPlan& plan_;
  const AttentionSizes& s_;
  int64_t outer_, shared_;
  Matrix<T> key_, value_;
  T *queries_, *g_, *scores_, *slopes_, *key_grad_, *value_grad_;
};

template <class T> void backward_as(const AttentionGradPlan& plan) {
  const AttentionSizes& s = plan.sizes;
  const int64_t heads = s.heads / s.sharing;
  const int64_t work = std::max<int64_t>(1, s.sharing * s.queries * s.keys * (3 * s.size + 2 * s.value_size));
  parallel_for(s.outer * heads, std::max<int64_t>(1, grain / work), [&](int64_t begin, int64_t end) {
    std::vector<T> memory;
    for (int64_t i = begin; i < end; ++i) Backward<T>(plan, i / heads, i % heads, memory).run();
  });
}

void forward(const AttentionPlan& plan) { (plan.res.dtype() == DType::float32 ? forward_as<float> : forward_as<double>)(plan); }
void backward(const AttentionGradPlan& plan) { (plan.logsum.dtype() == DType::float32 ? backward_as<float> : backward_as<double>)(plan); }

#include "engine/ops/attention-inl.h"

constexpr Row rows[] = {{&ScaledDotProductAttention::decl, &plan_attention, kernel<&forward>()},
                        {&ScaledDotProductAttentionGrad::decl, &plan_attention_grad, kernel<&backward>()}};

}  // namespace

std::span<const Row> attention_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(attention_rows);
namespace cpu {
std::span<const Row> attention_rows() { return HWY_DYNAMIC_DISPATCH(attention_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
