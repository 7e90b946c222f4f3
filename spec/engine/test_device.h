// The test device's library, spec/device, loaded once.
#pragma once

#include <doctest/doctest.h>

#include <string_view>

#include "engine/core/device.h"
#include "engine/include/moontorch/moontorch.h"

inline mt::DeviceId test_device(std::string_view name) {
  static const bool loaded = mt_device_load(MT_TEST_DEVICE) == MT_OK;
  REQUIRE_MESSAGE(loaded, mt_error_message());
  return mt::find_device("test", "name", name);
}
