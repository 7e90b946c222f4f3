// The kinds of arguments that ops accept. To add a kind, begin here; engine/arguments/convert.h converts it to a value.
#pragma once

#include <cstdint>
#include <string_view>

namespace mt {

enum Kind : uint16_t {
  kind_tensor = 1,
  kind_number = 2,  // any number
  kind_int = 4,     // a whole number
  kind_index = 8,   // counted from 1 by Lua's callers, from 0 in the engine
  kind_dim = 16,    // as index; negative ones count from the last
  kind_boolean = 32,
  kind_string = 64,
  kind_sizes = 128,    // numbers, a LongStorage or a table
  kind_tensors = 256,  // a table of tensors
  kind_dtype = 512,    // "torch.FloatTensor"
  kind_generator = 1024,
  kind_dims = 4096,     // with kind_sizes: a list of dimensions, each counted as kind_dim
  kind_indices = 8192,  // with kind_sizes: a list of positions; negative ones count from the end
};

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
