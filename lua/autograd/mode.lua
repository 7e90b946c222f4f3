--- Recording on and off for the time of a call.
-- @module autograd.mode
local C = require 'libmoontorch'

local gradMode = C.gradMode

local function finish(previous, ok, ...)
  gradMode(previous)
  if not ok then error((...), 0) end
  return ...
end

--- Calls f with nothing recorded, and returns what it returns. The mode is put back when f raises, too.
-- @tparam function f
-- @param ... its arguments
local function noGrad(f, ...) return finish(gradMode(false), pcall(f, ...)) end

--- Calls f with recording on, inside noGrad too, and returns what it returns.
-- @tparam function f
-- @param ... its arguments
local function enableGrad(f, ...) return finish(gradMode(true), pcall(f, ...)) end

-- Its field `made`, where one is set, is called for every recorded call of an autograd.Function: name, node, results, arguments.
return { noGrad = noGrad, enableGrad = enableGrad }
