# MT_MINIMAL: a small library with the engine, its binding and the ops that forward passes of nn need. It leaves out AVX-512, BLAS, oneDNN,
# SLEEF, and families of ops by the names of their files. The engine knows the names of the ops in MT_ABSENT_OPS, so that an error says why
# an op is missing (engine/core/absent.h).
set(MT_ABSENT fft fft_float fft_double fft_plan linalg linalg_decompositions decompositions lapack plain_complex_eigen plain_eigen plain_lapack vendor_lapack
  histogram warp warp_bilinear optim bits cross distance bag incomplete ctc lstm rare polynomials int8 int8_amx
  int8_attention int8_conv int8_depthwise int8_matmul int8_matrix int8_pool int8_product int8_rows int8_softmax int8_sums int8_table
  int8_tiles linear16 quantize)
set(MT_ABSENT_OPS FftOps LinalgOps DecompositionOps HistogramOps WarpOps OptimOps BitOps CrossOps DistanceOps BagOps IncompleteOps CtcOps
  LstmOps RareOps PolynomialsOps Int8Ops QuantizeOps)
# Kernels that take little of the time of most passes: compiled for SSE4 only, and for size.
set(MT_COLD compare scan reduce_extrema reduce_norms reduce_tests special power sequence index mask sort counted random philox equal rearrange
  copy where convert normal attention resample pool pool_channels_last activation loss multinomial device rownorm rownorm_grad)
# Code that chooses kernels.
set(MT_CHOOSING blas matmul conv packed_conv)

if(MT_MODELS)
  include(cmake/models.cmake)
else()  # for everything that nn has; a library for certain models has room for faster ones
  list(APPEND MT_COLD reduce_sums norm softmax recurrent pointwise_rows strided)
  list(APPEND MT_CHOOSING reduce)
endif()
string(APPEND MT_DISABLED_TARGETS "|HWY_AVX3")
# No dtypes that only files and other programs need.
target_compile_definitions(moontorch_options INTERFACE MT_WITHOUT_FURTHER_DTYPES)
target_compile_options(moontorch_options INTERFACE -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables)
list(JOIN MT_ABSENT "|" absent)
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/engine/(cpu|ops)/(${absent})\\.cpp$")
# Attention is compiled for size here: products and a softmax are faster. Forward passes keep nothing that could be computed again.
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/engine/passes/(fuse_attention|program|recompute)\\.cpp$")
# Without a BLAS engine/cpu/without_blas.cpp says that there is none.
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/engine/cpu/vendor_(blas|lapack)\\.cpp$")
# Blocks of channels are those of oneDNN.
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/engine/(graph/image_blocks|cpu/grouped_pointwise)\\.cpp$")
list(FILTER BINDING_SOURCES EXCLUDE REGEX "/(recomputation|profile/[^/]+)\\.cpp$")
# ONNX files are read, and not written.
list(FILTER ENGINE_SOURCES EXCLUDE REGEX "/engine/onnx/write_model\\.cpp$")
list(FILTER BINDING_SOURCES EXCLUDE REGEX "/(onnx_files|graph_steps)\\.cpp$")
file(GLOB ABSENT_HEADERS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/engine/ops/*-inl.h)
list(FILTER ABSENT_HEADERS INCLUDE REGEX "/(${absent})-inl\\.h$")
if(MT_MODELS)  # which say the names
  set(ABSENT_HEADERS "")
endif()

# Called after the options of kernels are set.
function(shrink)
  set(without_avx2 -UHWY_DISABLED_TARGETS "-DHWY_DISABLED_TARGETS=(${MT_DISABLED_TARGETS}|HWY_AVX2)")
  foreach(source IN LISTS ENGINE_SOURCES BINDING_SOURCES)
    cmake_path(GET source STEM name)
    if(name IN_LIST MT_COLD AND source MATCHES "/engine/cpu/")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -Os ${without_avx2})
    elseif(name IN_LIST MT_CHOOSING OR NOT source MATCHES "/engine/cpu/")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -Os)
    endif()
  endforeach()
  foreach(name blas winograd)
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/engine/cpu/${name}.cpp APPEND PROPERTY COMPILE_DEFINITIONS MT_WITHOUT_BLAS)
  endforeach()
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/engine/passes/for_inference.cpp APPEND PROPERTY COMPILE_DEFINITIONS MT_WITHOUT_FUSED_ATTENTION)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/engine/graph/prepared.cpp APPEND PROPERTY COMPILE_DEFINITIONS MT_WITHOUT_IMAGE_BLOCKS)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/engine/cpu/packed_conv.cpp APPEND PROPERTY COMPILE_DEFINITIONS MT_WITHOUT_GROUPED_POINTWISE)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/bindings/lua/graph/graphs.cpp APPEND PROPERTY COMPILE_DEFINITIONS MT_WITHOUT_RECOMPUTATION)
  foreach(name graphs onnx_models)
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/bindings/lua/graph/${name}.cpp APPEND PROPERTY COMPILE_DEFINITIONS MT_WITHOUT_ONNX_WRITER)
  endforeach()
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/bindings/lua/state/module.cpp APPEND PROPERTY COMPILE_DEFINITIONS MT_WITHOUT_PROFILES)
  target_link_options(moontorch PRIVATE -Wl,-z,defs -Wl,--gc-sections -Wl,-z,pack-relative-relocs -s)
endfunction()
