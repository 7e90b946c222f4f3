// The table of libraries that are loaded at run time. C++ loads them by open_library, Lua by `system` of torch.library. The Debian package
// recommends the packages of the table, and docs/installing.md shows it.
//
// To add a library, add a row here and the same row to the table of docs/installing.md, which spec/docs/libraries_spec.lua compares. List
// the sonames of the last three releases of Debian and of Ubuntu, the newest first, and call only functions that are the same in all of
// them. Then, in Lua: `local opened = require('torch.library').system('hdf5', 'hdf5')`, whose error names the packages; in C++, as in the
// native parts of packages: `void* library = open_library("hdf5")`. Libraries
// with one version on all systems, such as libpng16, are linked.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace mt {

struct SystemLibrary {
  std::string_view name;      // the name in the code
  std::string_view sonames;   // separated by spaces; the first one found is loaded
  std::string_view packages;  // of Debian and Ubuntu; each contains one of the sonames
  std::string_view serves;    // the features that need it
};

// cmake/package.cmake reads the third field.
inline constexpr SystemLibrary system_libraries[] = {
    {"openblas", "libopenblas.so.0", "libopenblas0-openmp | libopenblas0", "fast products and LAPACK"},
    {"blas", "libblas.so.3", "libblas3", "products where OpenBLAS is missing"},
    {"lapack", "liblapack.so.3", "liblapack3", "decompositions where OpenBLAS is missing"},
    {"onednn", "libdnnl.so.3 libdnnl.so.3.6 libdnnl.so.2 libdnnl.so", "libdnnl3.6 | libdnnl3 | libdnnl2", "fast convolutions"},
    {"gomp", "libgomp.so.1", "libgomp1", "threads"},
    {"luajit", "libluajit-5.1.so.2 libluajit-5.1.so libluajit.so", "libluajit-5.1-2", "Lua in programs of C and C++"},
    {"zlib", "libz.so.1 libz.so", "zlib1g", "ZIP archives and gzip files"},
    {"hdf5", "libhdf5_serial.so.310 libhdf5_serial.so.103 libhdf5.so.310 libhdf5.so.200 libhdf5.so.103 libhdf5_serial.so libhdf5.so",
     "libhdf5-310 | libhdf5-103-1 | libhdf5-103-1t64 | libhdf5-103", "HDF5 files"},
    {"sndfile", "libsndfile.so.1 libsndfile.so", "libsndfile1", "sound files other than WAV"},
    {"gif", "libgif.so.7", "libgif7", "GIF pictures"},
    {"tiff", "libtiff.so.6 libtiff.so.5", "libtiff6 | libtiff5", "TIFF pictures"},
    {"webp", "libwebp.so.7 libwebp.so.6", "libwebp7 | libwebp6", "WebP pictures"},
    {"webpdemux", "libwebpdemux.so.2", "libwebpdemux2", "animated WebP pictures"},
    {"mpi", "libmpi.so.40", "libopenmpi40 | libopenmpi3t64 | libopenmpi3", "programs of several processes (with mpirun: openmpi-bin)"},
    {"scalapack", "libscalapack-openmpi.so.2.2 libscalapack-openmpi.so.2.1", "libscalapack-openmpi2.2 | libscalapack-openmpi2.1",
     "linear solvers of arrays over processes"},
    {"umfpack", "libumfpack.so.6 libumfpack.so.5", "libumfpack6 | libumfpack5", "fast solutions of sparse systems"},
    {"cholmod", "libcholmod.so.5 libcholmod.so.3", "libcholmod5 | libcholmod3", "fast Cholesky factors of sparse matrices"},
    {"crypto", "libcrypto.so.3 libcrypto.so.1.1", "libssl3t64 | libssl3 | libssl1.1",
     "secrets of processes that join, and checksums of downloads"},
    {"cairo", "libcairo.so.2 libcairo.so", "libcairo2", "PNG files of plots"},
    {"utf8proc", "libutf8proc.so.3 libutf8proc.so.2", "libutf8proc3 | libutf8proc2", "tokenizers of text beyond ASCII"},
    {"pcre2", "libpcre2-8.so.0", "libpcre2-8-0", "tokenizers that split by regular expressions"},
};

// A row of the table. In a constant expression an unknown name is a compile error.
consteval SystemLibrary system_library(std::string_view name) {
  for (const SystemLibrary& row : system_libraries)
    if (row.name == name) return row;
  throw "no library of that name";
}

// Loads the first soname of a library that the system has, with a mode of dlopen. Null if it has none.
inline void* open_library(const SystemLibrary& row, int mode = RTLD_NOW | RTLD_LOCAL) {
  for (size_t begin = 0; begin < row.sonames.size();) {
    const size_t end = std::min(row.sonames.find(' ', begin), row.sonames.size());
    if (void* const opened = dlopen(std::string(row.sonames.substr(begin, end - begin)).c_str(), mode)) return opened;
    begin = end + 1;
  }
  return nullptr;
}

}  // namespace mt
