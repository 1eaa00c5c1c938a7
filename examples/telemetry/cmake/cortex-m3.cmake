# Toolchain file: the library for a Cortex-M3 with GNU Arm Embedded.
#   cmake -B build-arm -DCMAKE_TOOLCHAIN_FILE=cmake/cortex-m3.cmake
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m3 -mthumb")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
