#include "engine/core/dtype.h"

#include <algorithm>
#include <cctype>

namespace mt {
namespace {

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::optional<DType> find_dtype(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  if (name.ends_with("Tensor")) name.remove_suffix(6);
  for (int i = 0; i < dtype_count; ++i) {
    if (name == dtype_infos[i].name || same_ignoring_case(name, dtype_infos[i].torch)) return static_cast<DType>(i);
  }
  return std::nullopt;
}

void refuse_dtype(DType dtype) {
  if (!built_dtypes.contains(dtype)) fail<Status::unsupported>("dtype", info(dtype).name, "not in this build (bin/minimal)");
  if (storage_dtypes.contains(dtype)) fail<Status::dtype>("dtype", "", dtype, ", expected one with arithmetic: this one is for storage");
  MT_ASSERT(has_complex_dtypes);  // builds without complex dtypes have no code for these errors
  fail<Status::dtype>("dtype", "", dtype, ", expected a dtype of real numbers");
}

void refuse_conversion(DType from, DType to) {
  MT_ASSERT(has_complex_dtypes);
  fail<Status::dtype>("dtype", "", from, ", expected a real number for ", to);
}

DType float_for(DType dtype) {
  if (is_inexact(dtype)) return dtype;
  return size_of(dtype) >= 4 ? DType::float64 : DType::float32;
}

DType arithmetic_dtype(DType stored) {
  const DType computed = compute_of(stored);
  return computed == stored ? DType::int64 : computed;
}

namespace {

// The dtype of integers that holds both; the two are different.
DType common_integer(DType a, DType b) {
  const DType larger = size_of(a) > size_of(b) ? a : b;
  const bool is_unsigned = kind_of(a) == NumberKind::unsigned_integer;
  if (is_unsigned == (kind_of(b) == NumberKind::unsigned_integer)) return larger;
  const DType without_sign = is_unsigned ? a : b, other = is_unsigned ? b : a;
  if (size_of(other) > size_of(without_sign)) return other;
  switch (size_of(without_sign)) {
    case 1:
      return DType::int16;
    case 2:
      return DType::int32;
    case 4:
      return DType::int64;
    default:
      fail<Status::dtype>("dtype", "", a, " and ", b, ", expected two with a common dtype: no dtype of integers holds both; convert one");
  }
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if constexpr (has_complex_dtypes) {
    const bool complex_a = complex_dtypes.contains(a), complex_b = complex_dtypes.contains(b);
    if (complex_a || complex_b) return promote(real_part_of(a), real_part_of(b)) == DType::float64 ? DType::complex128 : DType::complex64;
  }
  const bool real_a = kind_of(a) == NumberKind::real, real_b = kind_of(b) == NumberKind::real;
  if (real_a || real_b) {
    if (!real_a) a = size_of(b) == 2 && size_of(a) == 1 ? b : float_for(a);
    if (!real_b) b = size_of(a) == 2 && size_of(b) == 1 ? a : float_for(b);
    if (size_of(a) == size_of(b)) return a == b ? a : DType::float32;  // the two 16-bit floats, or the two 8-bit ones
    return size_of(a) > size_of(b) ? a : b;
  }
  return common_integer(a, b);
}

}  // namespace mt
