// Philox and the conversion of its bits, on vectors, for each CPU instruction set. A vector of 64-bit lanes has one word of several blocks:
// the word is the lower half of a lane, and its product with a multiplier takes the full lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/philox.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>
#include <cstring>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/cpu/philox.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

#include "engine/ops/drawn-inl.h"

using drawn::Distribution;
using drawn::Kind;

using WideTag = hn::ScalableTag<uint64_t>;
using WordTag = hn::Repartition<uint32_t, WideTag>;
using Wide = hn::Vec<WideTag>;

constexpr int64_t chunk = 256;  // blocks, whose words are 4 KiB: a multiple of two vectors of them

// As many blocks as a vector has lanes.
struct Blocks {
  Wide x0, x1, x2, x3;

  MT_FN explicit Blocks(uint64_t first) {
    const WideTag d;
    const Wide counter = hn::Add(hn::Set(d, first), hn::Iota(d, 0));
    x0 = counter;
    x1 = hn::ShiftRight<32>(counter);
    x2 = x3 = hn::Zero(d);
  }
  MT_FN static Wide product(Wide x, uint32_t multiplier) { return hn::MulEven(hn::BitCast(WordTag(), x), hn::Set(WordTag(), multiplier)); }
  MT_FN void mix(Wide key0, Wide key1) {
    const Wide a = product(x0, philox_multiplier0), b = product(x2, philox_multiplier1);
    x0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), x1), key0);
    x1 = b;
    x2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), x3), key1);
    x3 = a;
  }
  MT_FN void store(uint32_t* out) const {
    const WideTag d;
    const Wide low = hn::Set(d, 0xffffffffu);
    hn::StoreInterleaved2(hn::Or(hn::And(x0, low), hn::ShiftLeft<32>(x1)), hn::Or(hn::And(x2, low), hn::ShiftLeft<32>(x3)), d,
                          reinterpret_cast<uint64_t*>(out));
  }
};

// Computes the words of at most a chunk of blocks, and of the blocks that fill the last two vectors.
void words(const Draws& draws, uint64_t first, int64_t blocks, uint32_t* out) {
  const WideTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < blocks; i += 2 * lanes) {
    const uint64_t at = draws.first + first + static_cast<uint64_t>(i);
    Blocks one(at), other(at + static_cast<uint64_t>(lanes));  // two, because a round waits for its products
    auto key0 = static_cast<uint32_t>(draws.key), key1 = static_cast<uint32_t>(draws.key >> 32);
    for (int round = 0; round < philox_rounds; ++round) {
      const Wide k0 = hn::Set(d, key0), k1 = hn::Set(d, key1);
      one.mix(k0, k1);
      other.mix(k0, k1);
      key0 += philox_step0;
      key1 += philox_step1;
    }
    one.store(out + 4 * i);
    other.store(out + 4 * (i + lanes));
  }
}

void philox_words_vectors(const Draws& draws, uint64_t first, int64_t blocks, uint32_t* out) {
  for (int64_t done = 0; done < blocks; done += chunk) {
    HWY_ALIGN uint32_t some[4 * chunk];
    const int64_t count = std::min(chunk, blocks - done);
    words(draws, first + static_cast<uint64_t>(done), count, some);
    std::memcpy(out + 4 * done, some, static_cast<size_t>(count) * sizeof(PhiloxBlock));
  }
}

// The functions of drawn.h for one element's bits, on vectors.
template <class T> struct Numbers;
template <> struct Numbers<float> {
  using V = Simd<float>;
  using Bits = uint32_t;
  using Tag = hn::ScalableTag<uint32_t>;
  using Vec = hn::Vec<Tag>;
  MT_FN static V number(Vec bits) { return V(hn::ConvertTo(V::D(), hn::BitCast(hn::RebindToSigned<Tag>(), bits))); }
  MT_FN static V fraction(Vec bits, const Distribution& d) { return number(hn::ShiftRightSame(bits, d.unused_bits)) * V(d.unit); }
  MT_FN static V positive(Vec bits) { return number(hn::ShiftRight<1>(bits)) * V(0x1p-31) + V(0x1p-32); }
  MT_FN static V centred(Vec bits) {
    const Tag d;
    return number(hn::Sub(hn::Or(hn::ShiftRight<8>(bits), hn::Set(d, 1)), hn::Set(d, 1 << 23))) * V(0x1p-24);
  }
};
template <> struct Numbers<double> {
  using V = Simd<double>;
  using Bits = uint64_t;
  using Tag = WideTag;
  using Vec = Wide;
  MT_FN static V from_one(Vec bits) {
    return V(hn::BitCast(V::D(), hn::Or(hn::ShiftRight<12>(bits), hn::Set(Tag(), 0x3ff0000000000000u))));
  }
  MT_FN static V fraction(Vec bits, const Distribution&) { return from_one(bits) - V(1.0); }
  MT_FN static V positive(Vec bits) { return V(2.0) - from_one(bits); }
  MT_FN static V centred(Vec bits) { return from_one(bits) - V(1.5) + V(0x1p-53); }
};

// Writes two vectors of values at a time, of consecutive elements: value(first bits, second bits) returns both.
template <class T, class F> MT_FN void in_order(const uint32_t* some, int64_t n, T* out, const F& value) {
  using N = Numbers<T>;
  const typename N::Tag d;
  const typename Simd<T>::D to;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* bits = reinterpret_cast<const typename N::Bits*>(some);
  for (int64_t i = 0; i < n; i += lanes) hn::Store(value(hn::Load(d, bits + i)).v, to, out + i);
}
template <class T, class F> MT_FN void in_pairs(const uint32_t* some, int64_t n, T* out, const F& value) {
  using N = Numbers<T>;
  const typename N::Tag d;
  const typename Simd<T>::D to;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* bits = reinterpret_cast<const typename N::Bits*>(some);
  for (int64_t i = 0; i < n; i += 2 * lanes) {
    typename N::Vec x, y;
    hn::LoadInterleaved2(d, bits + i, x, y);
    const auto pair = normal_pair(N::positive(x), N::centred(y));
    hn::StoreInterleaved2(value(pair.first).v, value(pair.second).v, to, out + i);
  }
}

template <class T> void values_of(const uint32_t* some, const Distribution& d, int64_t n, T* out) {
  using V = Simd<T>;
  using N = Numbers<T>;
  using Bits = typename N::Vec;
  switch (d.kind) {
    case Kind::uniform:
      return in_order(some, n, out, [&](Bits bits) HWY_ATTR { return scaled(N::fraction(bits, d), d.a, d.b - d.a); });
    case Kind::normal:
      return in_pairs(some, n, out, [&](V value) HWY_ATTR { return scaled(value, d.a, d.b); });
    case Kind::log_normal:
      return in_pairs(some, n, out, [&](V value) HWY_ATTR { return exp(scaled(value, d.a, d.b)); });
    case Kind::exponential:
      return in_order(some, n, out, [&](Bits bits) HWY_ATTR { return exponential_value(N::positive(bits), d.a); });
    case Kind::cauchy:
      return in_order(some, n, out, [&](Bits bits) HWY_ATTR { return cauchy_value(N::centred(bits), d.a, d.b); });
  }
}

template <class T> void values(const Draws& draws, uint64_t first, const Distribution& distribution, int64_t n, T* out) {
  constexpr int64_t per_block = sizeof(PhiloxBlock) / sizeof(T);
  for (int64_t done = 0; done < n; done += chunk * per_block) {
    HWY_ALIGN uint32_t some[4 * chunk];
    HWY_ALIGN T made[chunk * per_block];
    const int64_t count = std::min(chunk * per_block, n - done);
    words(draws, first + static_cast<uint64_t>(done / per_block), (count + per_block - 1) / per_block, some);
    values_of(some, distribution, count, made);
    std::memcpy(out + done, made, static_cast<size_t>(count) * sizeof(T));
  }
}

void float_values(const Draws& draws, uint64_t first, const Distribution& d, int64_t n, float* out) { values(draws, first, d, n, out); }
void double_values(const Draws& draws, uint64_t first, const Distribution& d, int64_t n, double* out) { values(draws, first, d, n, out); }

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {
namespace {
HWY_EXPORT(philox_words_vectors);
HWY_EXPORT(float_values);
HWY_EXPORT(double_values);
}  // namespace
namespace cpu {
void philox_words(const Draws& draws, uint64_t first, int64_t blocks, uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(philox_words_vectors)(draws, first, blocks, out);
}
void drawn_values(const Draws& draws, uint64_t first, const drawn::Distribution& d, int64_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(float_values)(draws, first, d, n, out);
}
void drawn_values(const Draws& draws, uint64_t first, const drawn::Distribution& d, int64_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(double_values)(draws, first, d, n, out);
}
}  // namespace cpu
}  // namespace mt
#endif
