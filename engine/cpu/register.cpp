#include "engine/cpu/register.h"

#include "engine/core/meta.h"
#include "engine/cpu/copy.h"
#include "engine/cpu/device.h"
#include "engine/cpu/target.h"
#include "engine/ops/register.h"

namespace mt::cpu {

void register_kernels(Registry& registry) {
  choose_target();
  add_device(device(), &copy);
  add_device(meta(), &copy_nothing);
  set_copy(cpu_device, meta_device, &copy_nothing);
  // A family a line, so that two new ones do not meet.
  registry.add(convert_rows());
  registry.add(pointwise_rows());
  registry.add(compare_rows());
  registry.add(where_rows());
  registry.add(elementary_rows());
  registry.add(power_rows());
  registry.add(special_rows());
  registry.add(bit_rows());
  registry.add(equal_rows());
  registry.add(view_rows());
  registry.add(create_rows());
  registry.add(sequence_rows());
  registry.add(rearrange_rows());
  registry.add(index_rows());
  registry.add(mask_rows());
  registry.add(random_rows());
  registry.add(matmul_rows());
  registry.add(linalg_rows());
  registry.add(decomposition_rows());
  registry.add(conv_rows());
  registry.add(pool_rows());
  registry.add(norm_rows());
  registry.add(rownorm_rows());
  registry.add(recurrent_rows());
  registry.add(activation_rows());
  registry.add(optim_rows());
  registry.add(reduce_sum_rows());
  registry.add(reduce_extremum_rows());
  registry.add(reduce_norm_rows());
  registry.add(reduce_test_rows());
  registry.add(scan_rows());
  registry.add(softmax_rows());
  registry.add(sort_rows());
  registry.add(histogram_rows());
  registry.add(distance_rows());
  registry.add(cross_rows());
  registry.add(loss_rows());
}

}  // namespace mt::cpu
