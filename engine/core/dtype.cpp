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

// Builds without complex dtypes have no code for these errors.

void refuse_dtype(DType dtype) {
  MT_ASSERT(has_complex_dtypes);
  fail<Status::dtype>("dtype", "", dtype, ", expected a dtype of real numbers");
}

void refuse_conversion(DType from, DType to) {
  MT_ASSERT(has_complex_dtypes);
  fail<Status::dtype>("dtype", "", from, ", expected a real number for ", to);
}

DType float_for(DType dtype) {
  if (is_inexact(dtype)) return dtype;
  return dtype == DType::int32 || dtype == DType::int64 ? DType::float64 : DType::float32;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if constexpr (has_complex_dtypes) {
    const bool complex_a = complex_dtypes.contains(a), complex_b = complex_dtypes.contains(b);
    if (complex_a != complex_b) return complex_a ? a : b;
    if (complex_a) return size_of(a) > size_of(b) ? a : b;
  }
  if (is_float(a) || is_float(b)) {
    if (!is_float(a)) a = size_of(b) == 2 && size_of(a) == 1 ? b : float_for(a);
    if (!is_float(b)) b = size_of(a) == 2 && size_of(b) == 1 ? a : float_for(b);
    if (size_of(a) == size_of(b)) return a == b ? a : DType::float32;  // the two 16-bit floats
    return size_of(a) > size_of(b) ? a : b;
  }
  if (a == DType::uint8 || b == DType::uint8) {
    const DType other = a == DType::uint8 ? b : a;
    return other == DType::int8 ? DType::int16 : other;
  }
  return size_of(a) > size_of(b) ? a : b;
}

}  // namespace mt
