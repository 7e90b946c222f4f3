# Builds for 64-bit ARM on another machine: Debian's cross compiler, and its arm64 libraries in the folder that the environment variable
# MT_SYSROOT names (by default this machine's own, where `dpkg --add-architecture arm64` put them).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(root "$ENV{MT_SYSROOT}")
if(root)
  set(CMAKE_SYSROOT "${root}")
endif()
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${root}")
set(ENV{PKG_CONFIG_LIBDIR} "${root}/usr/lib/aarch64-linux-gnu/pkgconfig:${root}/usr/share/pkgconfig")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "${root}/")
