# cpack: a Debian package of an installation, or with MT_BUNDLE an archive of the folder.
set(CPACK_PACKAGE_NAME moontorch)
set(CPACK_PACKAGE_VENDOR "the Moontorch developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tensors, automatic differentiation and neural networks for LuaJIT")
set(CPACK_PACKAGE_DESCRIPTION "Moontorch is scientific computing in LuaJIT over an engine in C++: tensors,
automatic differentiation, neural networks, optimisers and data sets, with the
names and meanings of Torch7, and an interactive program, th. Programs in C and
C++ use it with or without Lua.")
set(CPACK_STRIP_FILES TRUE)
set(CPACK_VERBATIM_VARIABLES TRUE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_FILE_NAME moontorch-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CHECKSUM SHA256)

if(MT_BUNDLE)
  set(CPACK_GENERATOR TGZ)
else()
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the Moontorch developers <developers@moontorch.invalid>")
  set(CPACK_DEBIAN_PACKAGE_SECTION interpreters)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/triggers)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
  # What is opened at run time: threads need libgomp; what the others bring has a slower way, or is asked for by few.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libgomp1)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-openmp, libdnnl2, zlib1g")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "luajit, libcairo2, libhdf5-103-1, libsndfile1, gnuplot-nox | gnuplot, graphviz, lua-penlight, lua-filesystem, lua-cjson")
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian_files.cmake)
endif()
include(CPack)
