--- Switches recording on or off during a call.
-- @module autograd.mode
local C = require 'libmoontorch'
local check, regions = require 'torch.check', require 'torch.start.regions'

local gradMode = C.gradMode

local function called(name, mode, f, ...)
  check.callable(name, 'f', f)
  return regions.call(gradMode, mode, f, ...)
end

--- Calls f without recording and returns its results. Restores the mode even if f raises an error.
-- @tparam function f
-- @param ... its arguments
local function noGrad(f, ...) return called('noGrad', false, f, ...) end

--- Calls f with recording on, even inside noGrad, and returns its results.
-- @tparam function f
-- @param ... its arguments
local function enableGrad(f, ...) return called('enableGrad', true, f, ...) end

-- If the field `made` is set, it is called for every recorded call of an autograd.Function: name, node, results, arguments.
return { noGrad = noGrad, enableGrad = enableGrad }
