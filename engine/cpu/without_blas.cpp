// The BLAS and LAPACK of a build that never opens them (MT_MINIMAL): there are none.
#include "engine/cpu/vendor_blas.h"
#include "engine/cpu/vendor_lapack.h"

namespace mt::cpu {

template <> const BlasRoutines<float>* vendor_blas<float>() { return nullptr; }
template <> const BlasRoutines<double>* vendor_blas<double>() { return nullptr; }
BlasIdentity blas_identity() { return {}; }
template <> const LapackRoutines<float>* vendor_lapack<float>() { return nullptr; }
template <> const LapackRoutines<double>* vendor_lapack<double>() { return nullptr; }
template <> const LapackRoutines<Complex<float>>* vendor_lapack<Complex<float>>() { return nullptr; }
template <> const LapackRoutines<Complex<double>>* vendor_lapack<Complex<double>>() { return nullptr; }

}  // namespace mt::cpu
