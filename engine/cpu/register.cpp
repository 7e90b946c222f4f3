#include "engine/cpu/register.h"

#include "engine/cpu/copy.h"
#include "engine/ops/register.h"

namespace mt::cpu {

void register_kernels(Registry& registry) {
  registry.copy = &copy;
  for (const auto rows : {pointwise_rows, compare_rows, elementary_rows, optim_rows, view_rows, create_rows, matmul_rows}) registry.add(rows());
}

}  // namespace mt::cpu
