#include "cuda/fused/nvrtc.h"

#include <dlfcn.h>

#include <span>

#include "cuda/fused/texts.h"

namespace mt::cuda {

// The interface of NVRTC, which has been stable since CUDA 11.1: so the build needs no header of it.
struct Nvrtc::Functions {
  using Program = struct OpaqueProgram*;
  using Status = int;  // 0: success

  Status (*version)(int* major, int* minor);
  Status (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts, const char* const* names);
  Status (*destroy)(Program*);
  Status (*compile)(Program, int count, const char* const* options);
  Status (*cubin_size)(Program, size_t*);
  Status (*cubin)(Program, char*);
  Status (*log_size)(Program, size_t*);
  Status (*log)(Program, char*);
};

namespace {

// The same rounding of products and sums as in the ops' own kernels: cuda/real/CMakeLists.txt.
constexpr const char* options_besides[] = {"-std=c++20", "-default-device", "-fmad=false"};

void* open_library(int major) {
  const std::string versioned = "libnvrtc.so." + std::to_string(major);
  for (const char* const name : {versioned.c_str(), "libnvrtc.so"}) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
  }
  return nullptr;
}

template <class F> bool look_up(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

const Nvrtc* Nvrtc::find(int major) {
  static const Nvrtc* const found = [major]() -> const Nvrtc* {
    void* const library = open_library(major);
    static Functions f;
    if (library == nullptr || !look_up(library, "nvrtcVersion", f.version) || !look_up(library, "nvrtcCreateProgram", f.create) ||
        !look_up(library, "nvrtcDestroyProgram", f.destroy) || !look_up(library, "nvrtcCompileProgram", f.compile) ||
        !look_up(library, "nvrtcGetCUBINSize", f.cubin_size) || !look_up(library, "nvrtcGetCUBIN", f.cubin) ||
        !look_up(library, "nvrtcGetProgramLogSize", f.log_size) || !look_up(library, "nvrtcGetProgramLog", f.log)) {
      return nullptr;
    }
    return new Nvrtc(f);  // as long as the process, like the library
  }();
  return found;
}

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  functions_.version(&major, &minor);
  return "nvrtc " + std::to_string(major) + "." + std::to_string(minor);
}

std::string Nvrtc::options() {
  std::string all;
  for (const char* const option : options_besides) all.append(all.empty() ? "" : " ").append(option);
  return all;
}

std::optional<std::vector<std::byte>> Nvrtc::compile(const std::string& source, const std::string& arch, std::string& log) const {
  const Functions& f = functions_;
  std::vector<const char*> names, texts, options(std::begin(options_besides), std::end(options_besides));
  for (const DeviceText& header : fused_texts()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  const std::string architecture = "-arch=" + arch;
  options.push_back(architecture.c_str());
  Functions::Program program = nullptr;
  if (f.create(&program, source.c_str(), "fused.cu", static_cast<int>(names.size()), texts.data(), names.data()) != 0) {
    log = "no program";
    return std::nullopt;
  }
  const bool compiled = f.compile(program, static_cast<int>(options.size()), options.data()) == 0;
  size_t bytes = 0;
  std::optional<std::vector<std::byte>> image;
  if (compiled && f.cubin_size(program, &bytes) == 0 && bytes > 0) {
    image.emplace(bytes);
    if (f.cubin(program, reinterpret_cast<char*>(image->data())) != 0) image.reset();
  } else if (f.log_size(program, &bytes) == 0 && bytes > 0) {
    log.assign(bytes, '\0');
    f.log(program, log.data());
    log.resize(log.find('\0'));
  }
  f.destroy(&program);
  return image;
}

}  // namespace mt::cuda
