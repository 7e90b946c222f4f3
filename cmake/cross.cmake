# What toolchain files share, for `triple` and `emulator`. The libraries of the target are in the folder of the environment variable
# MT_SYSROOT; by default those of this machine, which `dpkg --add-architecture` makes available. A small build without Lua needs none of them:
# the headers are those of this machine, which Debian's cross compilers read.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)

set(root "$ENV{MT_SYSROOT}")
if(root)
  set(CMAKE_SYSROOT "${root}")
endif()
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${root}")
set(ENV{PKG_CONFIG_LIBDIR} "${root}/usr/lib/${triple}/pkgconfig:${root}/usr/share/pkgconfig")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# The C library of the cross compiler's packages, unless the target's own is installed.
if(NOT root AND NOT EXISTS /usr/lib/${triple}/libc.so.6)
  set(CMAKE_FIND_ROOT_PATH /usr/${triple} /)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator} -L /usr/${triple})
else()
  set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator} -L "${root}/")
endif()
