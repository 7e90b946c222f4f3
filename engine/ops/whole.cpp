#include "engine/ops/whole.h"

#include <cmath>
#include <limits>

namespace mt {

Whole::Whole(DType dtype, DType inner) : rounds(!is_float(dtype) && is_float(inner)) {
  if (is_float(dtype)) return;
  dispatch<integer_dtypes | boolean_dtype>(dtype, [&]<class T>(std::type_identity<T>) {
    least = static_cast<double>(std::numeric_limits<T>::min());
    if constexpr (sizeof(T) < sizeof(double))
      most = static_cast<double>(std::numeric_limits<T>::max());
    else
      most = std::nextafter(-least, 0);
  });
}

}  // namespace mt
