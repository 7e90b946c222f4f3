# MT_FREESTANDING: files of engine/freestanding replace those that need threads, files, libraries at run time, or environment variables.
if(NOT MT_MINIMAL OR MT_LUA)
  message(FATAL_ERROR "MT_FREESTANDING: expected MT_MINIMAL=ON and MT_LUA=OFF")
endif()
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/engine/(messages/.*|capi/device|extension/load|graph/file|onnx/external_file)\\.cpp$")
set(replaced environment fork mapped_file own_file parallel processor replaced_file shared_memory stay_loaded system temporary_folder
  temporary_names thread_pool)
list(JOIN replaced "|" replaced)
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/engine/core/(${replaced})\\.cpp$")
target_compile_definitions(moontorch_options INTERFACE MT_FREESTANDING)
target_compile_options(moontorch_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-threadsafe-statics>)
