// Scaled dot-product attention. A block of threads computes the results of one query, or the gradients of one key: it computes the scores
// of a tile of keys, one per thread, and then adds their products with rows, one column per thread.
#include "engine/ops/attention.h"

#include <cmath>
#include <limits>

#include "cuda/kernels/register.h"
#include "cuda/launch.h"

namespace mt::cuda {

#include "engine/ops/attention-inl.h"

constexpr int attention_threads = 128;

template <class T> struct AttentionHeads {
  explicit AttentionHeads(const HeadMatrices& m)
      : data(elements<T>(m.data)), outer_step(m.outer_step), head_step(m.head_step), row_step(m.row_step) {}
  MT_DEVICE const T* row(int64_t outer, int64_t head, int64_t i) const {
    return data + outer * outer_step + head * head_step + i * row_step;
  }
  const T* data;
  int64_t outer_step, head_step, row_step;
};

// A query, by its place among all queries.
struct QueryPlace {
  MT_DEVICE QueryPlace(const AttentionSizes& s, int64_t row)
      : row(row), i(row % s.queries), head(row / s.queries % s.heads), outer(row / s.queries / s.heads) {}
  int64_t row, i, head, outer;
};

template <class T> MT_DEVICE T dot_of(const T* a, const T* b, int64_t n) {
  T sum = 0;
  for (int64_t e = 0; e < n; ++e) sum += a[e] * b[e];
  return sum;
}

template <class T> struct AttentionScores {
  AttentionScores(const AttentionSizes& sizes, const HeadMatrices& query, const HeadMatrices& key, const AttentionMask& mask)
      : sizes(sizes),
        query(query),
        key(key),
        mask(elements<T>(mask.data)),
        mask_outer(mask.outer_step),
        mask_head(mask.head_step),
        mask_row(mask.row_step),
        mask_key(mask.key_step),
        selects(mask.selects) {}

  MT_DEVICE bool sees(const QueryPlace& q, int64_t k) const { return k < sizes.keys && (!sizes.causal || k <= q.i); }
  MT_DEVICE T score(const QueryPlace& q, int64_t k) const {
    constexpr T none = -std::numeric_limits<T>::infinity();
    if (!sees(q, k)) return none;
    const T* const row = key.row(q.outer, q.head / sizes.sharing, k);
    T score = static_cast<T>(sizes.scale) * dot_of(query.row(q.outer, q.head, q.i), row, sizes.size);
    if (mask != nullptr) {
      const T value = mask[q.outer * mask_outer + q.head * mask_head + q.i * mask_row + k * mask_key];
      score += !selects ? value : value != 0 ? T(0) : none;
    }
    return score;
  }

  AttentionSizes sizes;
  AttentionHeads<T> query, key;
  const T* mask;  // null if there is none
  int64_t mask_outer, mask_head, mask_row, mask_key;
  bool selects;
};

template <class T> struct LargerOf {
  MT_DEVICE T operator()(T a, T b) const { return b > a || b != b ? b : a; }
};
template <class T> struct SumOf {
  MT_DEVICE T operator()(T a, T b) const { return a + b; }
};

template <class T> struct AttentionForward {
  AttentionScores<T> scores;
  AttentionHeads<T> value;
  T *res, *logsum;

  MT_DEVICE void operator()(Thread& t) const {
    constexpr T none = -std::numeric_limits<T>::infinity();
    const AttentionSizes& s = scores.sizes;
    const Shared<T> weights = t.shared<T>(attention_threads), scratch = t.shared<T>(warp_size);
    for (int64_t row = t.block(); row < s.outer * s.heads * s.queries; row += t.blocks()) {
      const QueryPlace q(s, row);
      T* const out = res + row * s.value_size;
      for (int64_t e = t.index(); e < s.value_size; e += attention_threads) out[e] = 0;
      T top = none, sum = 0;
      for (int64_t first = 0; first < s.keys; first += attention_threads) {
        const T score = scores.score(q, first + t.index());
        const T now = LargerOf<T>()(top, block_reduce(t, score, none, LargerOf<T>(), scratch));
        const T from = now == none ? T(0) : now;
        const T weight = std::exp(score - from), factor = std::exp(top - from);
        weights.set(t.index(), weight);
        sum = sum * factor + block_reduce(t, weight, T(0), SumOf<T>(), scratch);
        top = now;
        t.barrier();
        const int count = static_cast<int>(s.keys - first < attention_threads ? s.keys - first : attention_threads);
        for (int64_t e = t.index(); e < s.value_size; e += attention_threads) {
          T add = 0;
          for (int k = 0; k < count; ++k) {
            if (scores.sees(q, first + k)) add += weights.get(k) * value.row(q.outer, q.head / s.sharing, first + k)[e];
          }
          out[e] = out[e] * factor + add;
        }
        t.barrier();
      }
      for (int64_t e = t.index(); e < s.value_size; e += attention_threads) out[e] = sum == 0 ? T(0) : out[e] / sum;
      if (t.index() == 0) logsum[row] = top + std::log(sum);
    }
  }
};

// Shared by both kernels of the backward pass.
template <class T> struct AttentionSlopes {
  struct Slope {
    T weight, slope;  // slope: the gradient by the score, times the scale
  };

  explicit AttentionSlopes(const AttentionGradPlan& plan)
      : scores(plan.sizes, plan.query, plan.key, plan.mask),
        g(plan.g),
        value(plan.value),
        res(plan.res),
        logsum(elements<T>(plan.logsum)) {}

  MT_DEVICE Slope of(const QueryPlace& q, int64_t k) const {
    const AttentionSizes& s = scores.sizes;
    if (!scores.sees(q, k) || logsum[q.row] == -std::numeric_limits<T>::infinity()) return {0, 0};
    const T* const incoming = g.row(q.outer, q.head, q.i);
    const T weight = std::exp(scores.score(q, k) - logsum[q.row]);
    const T slope = dot_of(incoming, value.row(q.outer, q.head / s.sharing, k), s.value_size) -
                    dot_of(incoming, res.row(q.outer, q.head, q.i), s.value_size);
    return {weight, weight * slope * static_cast<T>(s.scale)};
  }

  AttentionScores<T> scores;
  AttentionHeads<T> g, value, res;
  const T* logsum;
};

template <class T> struct QueryGradient {
  AttentionSlopes<T> slopes;
  T* query_grad;

  MT_DEVICE void operator()(Thread& t) const {
    const AttentionSizes& s = slopes.scores.sizes;
    const Shared<T> shared = t.shared<T>(attention_threads);
    for (int64_t row = t.block(); row < s.outer * s.heads * s.queries; row += t.blocks()) {
      const QueryPlace q(s, row);
      T* const out = query_grad + row * s.size;
      for (int64_t e = t.index(); e < s.size; e += attention_threads) out[e] = 0;
      for (int64_t first = 0; first < s.keys; first += attention_threads) {
        shared.set(t.index(), slopes.of(q, first + t.index()).slope);
        t.barrier();
        const int count = static_cast<int>(s.keys - first < attention_threads ? s.keys - first : attention_threads);
        for (int64_t e = t.index(); e < s.size; e += attention_threads) {
          for (int k = 0; k < count; ++k) out[e] += shared.get(k) * slopes.scores.key.row(q.outer, q.head / s.sharing, first + k)[e];
        }
        t.barrier();
      }
    }
  }
};

template <class T> struct KeyGradient {
  AttentionSlopes<T> slopes;
  T *key_grad, *value_grad;

  MT_DEVICE void operator()(Thread& t) const {
    const AttentionSizes& s = slopes.scores.sizes;
    const int64_t heads = s.heads / s.sharing;
    const Shared<T> weights = t.shared<T>(attention_threads), shared = t.shared<T>(attention_threads);
    for (int64_t row = t.block(); row < s.outer * heads * s.keys; row += t.blocks()) {
      const int64_t k = row % s.keys, head = row / s.keys % heads, outer = row / s.keys / heads;
      T *const by_key = key_grad + row * s.size, *const by_value = value_grad + row * s.value_size;
      for (int64_t e = t.index(); e < s.size; e += attention_threads) by_key[e] = 0;
      for (int64_t e = t.index(); e < s.value_size; e += attention_threads) by_value[e] = 0;
      const int64_t begin = (outer * s.heads + head * s.sharing) * s.queries, end = begin + s.sharing * s.queries;
      for (int64_t first = begin; first < end; first += attention_threads) {
        typename AttentionSlopes<T>::Slope one = {0, 0};
        if (first + t.index() < end) one = slopes.of(QueryPlace(s, first + t.index()), k);
        weights.set(t.index(), one.weight);
        shared.set(t.index(), one.slope);
        t.barrier();
        const int count = static_cast<int>(end - first < attention_threads ? end - first : attention_threads);
        for (int i = 0; i < count; ++i) {
          const QueryPlace q(s, first + i);
          const T *const query = slopes.scores.query.row(q.outer, q.head, q.i), *const g = slopes.g.row(q.outer, q.head, q.i);
          for (int64_t e = t.index(); e < s.size; e += attention_threads) by_key[e] += shared.get(i) * query[e];
          for (int64_t e = t.index(); e < s.value_size; e += attention_threads) by_value[e] += weights.get(i) * g[e];
        }
        t.barrier();
      }
    }
  }
};

template <class K> void launch_rows(int64_t rows, size_t shared_bytes, const K& kernel) {
  if (rows > 0) launch(op_stream(), std::min(rows, most_blocks), attention_threads, shared_bytes, kernel);
}

template <class T> void attention_forward(const AttentionPlan& plan) {
  const AttentionSizes& s = plan.sizes;
  launch_rows(s.outer * s.heads * s.queries, (attention_threads + warp_size) * sizeof(T),
              AttentionForward<T>{AttentionScores<T>(s, plan.query, plan.key, plan.mask), AttentionHeads<T>(plan.value),
                                  elements<T>(plan.res), elements<T>(plan.logsum)});
}

template <class T> void attention_backward(const AttentionGradPlan& plan) {
  const AttentionSizes& s = plan.sizes;
  const AttentionSlopes<T> slopes(plan);
  launch_rows(s.outer * s.heads * s.queries, attention_threads * sizeof(T), QueryGradient<T>{slopes, elements<T>(plan.query_grad)});
  launch_rows(s.outer * (s.heads / s.sharing) * s.keys, 2 * attention_threads * sizeof(T),
              KeyGradient<T>{slopes, elements<T>(plan.key_grad), elements<T>(plan.value_grad)});
}

void run_attention(const AttentionPlan& plan) {
  (plan.res.dtype() == DType::float32 ? attention_forward<float> : attention_forward<double>)(plan);
}
void run_attention_grad(const AttentionGradPlan& plan) {
  (plan.logsum.dtype() == DType::float32 ? attention_backward<float> : attention_backward<double>)(plan);
}

KernelRows attention_rows() {
  static constexpr KernelRow rows[] = {{ScaledDotProductAttention::decl.name, kernel<&run_attention>()},
                                       {ScaledDotProductAttentionGrad::decl.name, kernel<&run_attention_grad>()}};
  return rows;
}

}  // namespace mt::cuda
