#include "engine/cpu/vendor_lapack.h"

#include <dlfcn.h>

#include <string>

#include "engine/core/system_libraries.h"
#include "engine/cpu/vendor_blas.h"

namespace mt::cpu {
namespace {

// OpenBLAS contains LAPACK. With a reference BLAS it is a separate library.
void* function(const std::string& symbol) {
  if (vendor_blas<double>() == nullptr) return nullptr;
  if (void* const found = vendor_function(symbol.c_str())) return found;
  static void* const separate = open_library(system_library("lapack"));
  return separate ? dlsym(separate, symbol.c_str()) : nullptr;
}

template <class F> bool find(char prefix, const char* name, F& routine) {
  routine = reinterpret_cast<F>(function(prefix + std::string(name) + "_"));
  return routine != nullptr;
}

// The eigenvalues of symmetric and of Hermitian matrices.
template <class T> bool find_spectral(char p, SpectralRoutines<T>& r) { return find(p, "syevd", r.syevd); }
template <class T> bool find_spectral(char p, SpectralRoutines<Complex<T>>& r) { return find(p, "heevd", r.heevd); }

template <class T> struct Found {
  LapackRoutines<T> r{};
  bool all = false;

  Found(char p, const char* orgqr, const char* ormqr) {
    all = find_spectral(p, r) && find(p, "getrf", r.getrf) && find(p, "getrs", r.getrs) && find(p, "getri", r.getri) &&
          find(p, "trtrs", r.trtrs) && find(p, "gels", r.gels) && find(p, "geev", r.geev) && find(p, "gees", r.gees) &&
          find(p, "gesdd", r.gesdd) && find(p, "potrf", r.potrf) && find(p, "potrs", r.potrs) && find(p, "potri", r.potri) &&
          find(p, "pstrf", r.pstrf) && find(p, "geqrf", r.geqrf) && find(p, orgqr, r.orgqr) && find(p, ormqr, r.ormqr);
  }
  const LapackRoutines<T>* get() const { return all ? &r : nullptr; }
};

}  // namespace

template <> const LapackRoutines<float>* vendor_lapack<float>() {
  static const Found<float> found('s', "orgqr", "ormqr");
  return found.get();
}

template <> const LapackRoutines<double>* vendor_lapack<double>() {
  static const Found<double> found('d', "orgqr", "ormqr");
  return found.get();
}

template <> const LapackRoutines<Complex<float>>* vendor_lapack<Complex<float>>() {
  static const Found<Complex<float>> found('c', "ungqr", "unmqr");
  return found.get();
}

template <> const LapackRoutines<Complex<double>>* vendor_lapack<Complex<double>>() {
  static const Found<Complex<double>> found('z', "ungqr", "unmqr");
  return found.get();
}

}  // namespace mt::cpu
