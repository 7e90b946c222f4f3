# find_package(Moontorch) where Moontorch is a rock: its headers alone, for libraries of ops, which link against nothing (docs/extending.md).
if(NOT TARGET Moontorch::headers)
  add_library(Moontorch::headers INTERFACE IMPORTED)
  target_include_directories(Moontorch::headers INTERFACE "${CMAKE_CURRENT_LIST_DIR}/../include")
endif()
