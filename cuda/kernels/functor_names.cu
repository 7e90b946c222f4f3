// The names of the functors in cuda/functors.h.
#include <algorithm>
#include <vector>

#include "cuda/functors.h"
#include "cuda/fused/source.h"

namespace mt::cuda {
namespace {

template <class... Op> std::vector<std::string_view> names_of(List<Op...>) {
  std::vector<std::string_view> names = {Op::decl.name...};
  std::ranges::sort(names);
  return names;
}

}  // namespace

bool is_functor(std::string_view name) {
  static const std::vector<std::string_view> names = names_of(AllFunctors());
  return std::ranges::binary_search(names, name);
}

}  // namespace mt::cuda
