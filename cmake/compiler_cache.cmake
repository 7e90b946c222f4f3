# Uses ccache if it is installed when a build folder is first configured. Installing it later changes no command, so that nothing is
# recompiled.
if(NOT DEFINED CACHE{CCACHE})
  find_program(CCACHE ccache)
elseif(CCACHE AND NOT EXISTS ${CCACHE})
  set(CCACHE CCACHE-NOTFOUND CACHE FILEPATH "compiler cache" FORCE)
endif()
if(CCACHE)
  # The compiler gets paths relative to the source folder, so that all checkouts share the cache. ccache caches files with precompiled
  # headers only where it is told that their macros are not those of the time.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
