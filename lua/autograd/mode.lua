--- Recording on and off for the time of a call.
-- @module autograd.mode
local C = require 'libmoontorch'
local check, regions = require 'torch.check', require 'torch.start.regions'

local gradMode = C.gradMode

local function called(name, mode, f, ...)
  check.callable(name, 'f', f)
  return regions.call(gradMode, mode, f, ...)
end

--- Calls f with nothing recorded, and returns what it returns. The mode is put back when f raises, too.
-- @tparam function f
-- @param ... its arguments
local function noGrad(f, ...) return called('noGrad', false, f, ...) end

--- Calls f with recording on, inside noGrad too, and returns what it returns.
-- @tparam function f
-- @param ... its arguments
local function enableGrad(f, ...) return called('enableGrad', true, f, ...) end

-- Its field `made`, where one is set, is called for every recorded call of an autograd.Function: name, node, results, arguments.
return { noGrad = noGrad, enableGrad = enableGrad }
