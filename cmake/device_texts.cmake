# A script: writes OUTPUT, the function mt::cuda::device_files, with the texts of FILES below ROOT. Run by cmake -P.
separate_arguments(FILES)
set(rows "")
foreach(file IN LISTS FILES)
  file(READ ${ROOT}/${file} text)
  string(APPEND rows "    {\"${file}\", R\"mt_text(${text})mt_text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// The headers of fused kernels; written by cmake/device_texts.cmake.
#include \"cuda/fused/texts.h\"

namespace mt::cuda {

std::span<const DeviceText> device_files() {
  static constexpr DeviceText all[] = {
${rows}  };
  return all;
}

}  // namespace mt::cuda
")
