// The kinds of arguments that ops accept. A new kind begins here; engine/arguments/convert.h then says which value it becomes.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/signature.h"

namespace mt {

// The kinds that a single number may be.
constexpr uint16_t number_kinds = kind_number | kind_int | kind_index | kind_dim;

struct KindNames {
  std::string_view word;   // in signatures
  uint16_t kinds;          // the bits that the word sets
  std::string_view shown;  // in messages and in help
};

// In the order in which messages list them. Lists of dimensions and of positions come before sizes, whose bit they share.
inline constexpr KindNames kind_names[] = {{"tensor", kind_tensor, "tensor"},
                                           {"number", kind_number, "number"},
                                           {"int", kind_int, "integer"},
                                           {"index", kind_index, "index"},
                                           {"dim", kind_dim, "dimension"},
                                           {"boolean", kind_boolean, "boolean"},
                                           {"string", kind_string, "string"},
                                           {"dims", kind_sizes | kind_dims, "dimensions"},
                                           {"indices", kind_sizes | kind_indices, "indices"},
                                           {"sizes", kind_sizes, "sizes"},
                                           {"tensors", kind_tensors, "table of tensors"},
                                           {"dtype", kind_dtype, "dtype"},
                                           {"generator", kind_generator, "generator"}};

}  // namespace mt
