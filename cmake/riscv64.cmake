# Cross-compiles for 64-bit RISC-V with Debian's cross compiler.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(triple riscv64-linux-gnu)
set(emulator qemu-riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
