#include "engine/cpu/dnnl_library.h"

#if defined(MT_WITH_DNNL) && !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "engine/core/parallel.h"
#include "engine/core/stay_loaded.h"
#include "engine/core/system_libraries.h"

namespace mt::cpu::dnnl {
namespace {

bool is_2() { return library()->memory_desc_init_by_tag != nullptr; }

const Library* open() {
  const char* const wanted = getenv("MOONTORCH_DNNL");
  if (wanted && std::strcmp(wanted, "0") == 0) return nullptr;
  const OpenMpThreads opens_the_runtime_our_way(1);
  const bool is_file = wanted && std::strchr(wanted, '/');
  void* const handle = is_file ? dlopen(wanted, RTLD_NOW | RTLD_LOCAL) : open_library(system_library("onednn"));
  if (!handle) return nullptr;
  stay_loaded();
  static Library library;
  bool complete = true;
#define MT_FIND(name, result, parameters)                                                \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, "dnnl_" #name)); \
  complete = complete && library.name;
  MT_DNNL_COMMON(MT_FIND)
  if (!complete) return nullptr;
  library.sgemm = reinterpret_cast<Gemm>(dlsym(handle, "dnnl_sgemm"));
  library.append_sum = dlsym(handle, "dnnl_post_ops_append_sum");
  library.append_eltwise = dlsym(handle, "dnnl_post_ops_append_eltwise");
  library.tag_name = reinterpret_cast<const char* (*)(int)>(dlsym(handle, "dnnl_fmt_tag2str"));
  complete = library.append_sum != nullptr && library.append_eltwise != nullptr;
  const int version = library.version()->major;
  if (version == 2) {
    MT_DNNL_OF_2(MT_FIND)
  } else if (version == 3) {
    MT_DNNL_OF_3(MT_FIND)
  }
#undef MT_FIND
  if (!complete || version < 2 || version > 3 || library.engine_create(&library.engine, engine_cpu, 0) != success ||
      library.primitive_attr_create(&library.attributes) != success ||
      library.primitive_attr_set_scratchpad_mode(library.attributes, scratchpad_user) != success)
    return nullptr;
  return &library;
}

MemoryDesc* allocate_desc() { return static_cast<MemoryDesc*>(::operator new(desc_bytes)); }

// Version 2 chooses a kernel for an operation that must be described first.
template <class Describe> Owned<PrimitiveDesc> choose_by_operation(const PrimitiveDesc* hint, Describe describe,
                                                                   const Attributes* attributes = library()->attributes) {
  alignas(std::max_align_t) std::byte operation[operation_bytes];
  check(describe(operation));
  PrimitiveDesc* created = nullptr;
  check(library()->primitive_desc_create(&created, operation, attributes, library()->engine, hint));
  return Owned<PrimitiveDesc>(created);
}

template <class Create> Owned<PrimitiveDesc> choose(Create create) {
  PrimitiveDesc* created = nullptr;
  check(create(&created));
  return Owned<PrimitiveDesc>(created);
}

}  // namespace

const Library* library() {
  static const Library* const opened = open();
  return opened;
}

void destroy(MemoryDesc* desc) {
  if (is_2())
    ::operator delete(desc);
  else
    library()->memory_desc_destroy(desc);
}

Owned<MemoryDesc> describe(std::span<const int64_t> sizes, std::span<const int64_t> strides, Type type) {
  const Library& lib = *library();
  const int count = static_cast<int>(sizes.size());
  if (!is_2()) {
    MemoryDesc* created = nullptr;
    check(lib.memory_desc_create_with_strides(&created, count, sizes.data(), type, strides.data()));
    return Owned<MemoryDesc>(created);
  }
  Owned<MemoryDesc> desc(allocate_desc());
  check(lib.memory_desc_init_by_strides(desc.get(), count, sizes.data(), type, strides.data()));
  return desc;
}

namespace {

Owned<MemoryDesc> describe_by_tag(std::span<const int64_t> sizes, int tag) {
  const Library& lib = *library();
  const int count = static_cast<int>(sizes.size());
  if (!is_2()) {
    MemoryDesc* created = nullptr;
    check(lib.memory_desc_create_with_tag(&created, count, sizes.data(), Type::f32, tag));
    return Owned<MemoryDesc>(created);
  }
  Owned<MemoryDesc> desc(allocate_desc());
  check(lib.memory_desc_init_by_tag(desc.get(), count, sizes.data(), Type::f32, tag));
  return desc;
}

// The number of a layout's tag, which differs between versions; 0 if there is none.
int tag_called(std::string_view name) {
  constexpr int most_tags = 2000;
  for (int tag = tag_any + 1; library()->tag_name != nullptr && tag < most_tags; ++tag) {
    if (name == library()->tag_name(tag)) return tag;
  }
  return 0;
}

}  // namespace

Owned<MemoryDesc> describe_any(std::span<const int64_t> sizes) { return describe_by_tag(sizes, tag_any); }

Owned<MemoryDesc> describe_blocks(std::span<const int64_t> sizes, int64_t block) {
  static const int of_8 = tag_called("aBcd8b"), of_16 = tag_called("aBcd16b");
  const int tag = block == 16 ? of_16 : of_8;
  return tag != 0 ? describe_by_tag(sizes, tag) : nullptr;
}

Owned<PrimitiveDesc> choose_forward(const Convolution& c, const Attributes* attributes) {
  const Library& lib = *library();
  if (is_2()) {
    return choose_by_operation(
        nullptr,
        [&](void* op) {
          return lib.dilated_convolution_forward_desc_init(op, c.kind, c.algorithm, c.x, c.weight, c.bias, c.y, c.strides, c.dilations,
                                                           c.pad, c.far);
        },
        attributes);
  }
  return choose([&](PrimitiveDesc** to) {
    return lib.convolution_forward_primitive_desc_create(to, lib.engine, c.kind, c.algorithm, c.x, c.weight, c.bias, c.y, c.strides,
                                                         c.dilations, c.pad, c.far, attributes);
  });
}

Owned<Attributes> attributes_with(bool sum, Rectifier relu) {
  const Library& lib = *library();
  Attributes* created = nullptr;
  check(lib.primitive_attr_create(&created));
  Owned<Attributes> attributes(created);
  check(lib.primitive_attr_set_scratchpad_mode(created, scratchpad_user));
  PostOps* list = nullptr;
  check(lib.post_ops_create(&list));
  const Owned<PostOps> ops(list);
  constexpr int relu_of_2 = 0x1f, relu_of_3 = 0x20, clip_of_2 = 0xff, clip_of_3 = 0x2e, same_type = 0;
  if (sum) {
    if (is_2())
      check(reinterpret_cast<int (*)(PostOps*, float)>(lib.append_sum)(list, 1));
    else
      check(reinterpret_cast<int (*)(PostOps*, float, int32_t, int)>(lib.append_sum)(list, 1, 0, same_type));
  }
  if (relu.is_on) {
    const bool clips = relu.is_limited();
    const float least = 0, most = clips ? static_cast<float>(relu.most) : 0;  // ReLU's second number has no meaning
    if (is_2())
      check(reinterpret_cast<int (*)(PostOps*, float, int, float, float)>(lib.append_eltwise)(list, 1, clips ? clip_of_2 : relu_of_2, least,
                                                                                              most));
    else
      check(reinterpret_cast<int (*)(PostOps*, int, float, float)>(lib.append_eltwise)(list, clips ? clip_of_3 : relu_of_3, least, most));
  }
  check(lib.primitive_attr_set_post_ops(created, list));
  return attributes;
}

Owned<PrimitiveDesc> choose_input_grad(const Convolution& c, const PrimitiveDesc& forward) {
  const Library& lib = *library();
  if (is_2()) {
    return choose_by_operation(&forward, [&](void* op) {
      return lib.dilated_convolution_backward_data_desc_init(op, c.algorithm, c.x, c.weight, c.y, c.strides, c.dilations, c.pad, c.far);
    });
  }
  return choose([&](PrimitiveDesc** to) {
    return lib.convolution_backward_data_primitive_desc_create(to, lib.engine, c.algorithm, c.x, c.weight, c.y, c.strides, c.dilations,
                                                               c.pad, c.far, &forward, lib.attributes);
  });
}

Owned<PrimitiveDesc> choose_weight_grad(const Convolution& c, const PrimitiveDesc& forward) {
  const Library& lib = *library();
  if (is_2()) {
    return choose_by_operation(&forward, [&](void* op) {
      return lib.dilated_convolution_backward_weights_desc_init(op, c.algorithm, c.x, c.weight, c.bias, c.y, c.strides, c.dilations, c.pad,
                                                                c.far);
    });
  }
  return choose([&](PrimitiveDesc** to) {
    return lib.convolution_backward_weights_primitive_desc_create(to, lib.engine, c.algorithm, c.x, c.weight, c.bias, c.y, c.strides,
                                                                  c.dilations, c.pad, c.far, &forward, lib.attributes);
  });
}

}  // namespace mt::cpu::dnnl
#endif
