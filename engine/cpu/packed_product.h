// Products of prepared runs with a constant matrix, which is packed once: linear, addmm, mm and mv of float32.
#pragma once

#include "engine/core/kernel.h"

namespace mt::cpu {

void add_product_packing(const Kernel& of_product);

}  // namespace mt::cpu
