// A dtype of 16 bytes, in builds with MT_TEST_DTYPE: a complex number of two doubles. This file is all that such a build adds to the
// engine.
#pragma once

#include <complex>

#define MT_FURTHER_DTYPES(X) \
  X(complex128, "complex128", "ComplexDouble", std::complex<double>, complex, std::complex<double>, std::complex<double>, arithmetic)
