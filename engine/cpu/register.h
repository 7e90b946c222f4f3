// The families of ops that run on the CPU.
#pragma once

#include <span>

#include "engine/core/registry.h"

namespace mt::cpu {

std::span<const Row> pointwise_rows();
std::span<const Row> compare_rows();
std::span<const Row> where_rows();
std::span<const Row> sequence_rows();
std::span<const Row> elementary_rows();
std::span<const Row> power_rows();
std::span<const Row> special_rows();
std::span<const Row> bit_rows();
std::span<const Row> equal_rows();
std::span<const Row> index_rows();
std::span<const Row> mask_rows();
std::span<const Row> random_rows();
std::span<const Row> reduce_sum_rows();
std::span<const Row> reduce_extremum_rows();
std::span<const Row> reduce_norm_rows();
std::span<const Row> reduce_test_rows();
std::span<const Row> scan_rows();
std::span<const Row> softmax_rows();
std::span<const Row> sort_rows();
std::span<const Row> histogram_rows();
std::span<const Row> distance_rows();
std::span<const Row> cross_rows();
std::span<const Row> loss_rows();
std::span<const Row> optim_rows();
std::span<const Row> matmul_rows();
std::span<const Row> linalg_rows();
std::span<const Row> decomposition_rows();
std::span<const Row> conv_rows();
std::span<const Row> pool_rows();
std::span<const Row> norm_rows();
std::span<const Row> rownorm_rows();
std::span<const Row> recurrent_rows();
std::span<const Row> activation_rows();

void register_kernels(Registry& registry);

}  // namespace mt::cpu
