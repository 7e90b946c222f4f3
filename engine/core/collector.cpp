#include "engine/core/collector.h"

#include <utility>

namespace mt {
namespace {

thread_local Collector own;

}  // namespace

Collector set_collector(Collector collector) { return std::exchange(own, collector); }

bool collect_garbage() { return own.collect != nullptr && own.collect(own.context); }

}  // namespace mt
