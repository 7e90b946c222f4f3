# Cross-compiles for 32-bit ARM (hard float) with Debian's cross compiler.
set(CMAKE_SYSTEM_PROCESSOR armhf)
set(triple arm-linux-gnueabihf)
set(emulator qemu-arm)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
