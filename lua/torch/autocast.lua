--- torch.autocast: mixed precision by lists of ops, on any device.
-- Inside `torch.autocast('bfloat16', f, ...)`, ops convert tensors of 16 or 32 bits by the precision in their declaration:
-- matrix products, convolutions and recurrent cells compute in the 16-bit type; functions that lose much accuracy in it, sums and losses
-- compute in float32; ops whose result would have the first tensor's type use the widest type. Other ops use their arguments as they are.
-- Parameters stay as they are, and gradients have the types of their parameters. The 16-bit values of parameters are cached until the
-- outermost region ends, or the parameters change.
-- float64 tensors are not converted, nor are other arguments of the same call. A call that writes to an existing tensor doesn't convert,
-- such as the methods x:exp() and x:addmm(a, b).
-- A backward pass computes in the types of its forward pass, inside a region and outside.
-- @module torch.autocast
local C = require 'libmoontorch'
local composed = require 'torch.composed'
local check, class, regions = require 'torch.check', require 'torch.class', require 'torch.start.regions'

local switch, precision = C.autocast, C.precision

local names = { low = true, float32 = true, widest = true }

local autocast = {}

local function isOp(name) return type(name) == 'string' and (C.opInfo(name, 'name') or composed.find(name)) ~= nil end

--- Returns the lists: {low = names, float32 = names, widest = names}, sorted.
-- @treturn table a new one
-- @usage table.concat(torch.autocast.lists().low, ' ')
function autocast.lists()
  local all = { low = {}, float32 = {}, widest = {} }
  for _, op in ipairs(require('torch').ops()) do
    local own = all[precision(op)]
    if own then own[#own + 1] = op end
  end
  return all
end

--- Moves an op to another list.
-- @string op its name, as in torch.ops
-- @tparam ?string list 'low', 'float32', 'widest'; nil: no list, so that the op uses its arguments as they are
-- @raise if there is no such op or list
-- @usage torch.autocast.assign('tanh', 'float32')
function autocast.assign(op, list)
  if not isOp(op) then
    check.raise(('autocast.assign: op: %s, expected the name of an op'):format(type(op) == 'string' and op or class.type(op)))
  end
  if list ~= nil and not names[list] then
    check.raise(('autocast.assign: list: %s, expected low, float32, widest or nil'):format(tostring(list)))
  end
  precision(op, list or false)
end

--- Returns the current type: 'float16', 'bfloat16' or false.
function autocast.type() return switch() end

local function change(wanted)      -- a setter for torch.start.regions
  local before = switch(wanted)
  if not wanted and not regions.isOpen(change) then C.forgetCasts() end
  return before
end

-- Calls f with autocast to a type, or with autocast off.
local function within(wanted, f, ...) return regions.call(change, wanted, f, ...) end

--- Calls f with autocast off, and returns its results.
-- @tparam function f
-- @param ... its arguments
function autocast.off(f, ...)
  check.callable('autocast.off', 'f', f)
  return within(false, f, ...)
end

-- Calls f with a result of an earlier `autocast.type`.
autocast.within = within

local function named(wanted)
  if wanted == 'bfloat16' or wanted == 'float16' then return wanted end
  local actual = type(wanted) == 'string' and wanted or class.type(wanted)
  check.raise(('autocast: dtype: %s, expected bfloat16 or float16'):format(actual))
end

local function typeOf(options)
  if type(options) ~= 'table' then return named(options) end
  check.options('autocast', options, { 'dtype', 'enabled' })
  check.flag('autocast', 'enabled', options.enabled)
  local wanted = named(options.dtype == nil and (switch() or 'bfloat16') or options.dtype)
  return options.enabled ~= false and wanted
end

--- Calls f in mixed precision, and returns its results. Restores the previous setting, also after an error.
-- @function autocast
-- @tparam string|table options 'bfloat16' or 'float16'; or a table with `dtype` (default: that of the enclosing region, or bfloat16) and
--   `enabled` (false: f computes in the types of its tensors)
-- @tparam function f
-- @param ... its arguments
-- @return its results
-- @usage local loss = torch.autocast('bfloat16', function() return criterion(net(x), y) end)
-- loss:backward()
return setmetatable(autocast, { __call = function(_, options, f, ...)
  local wanted = typeOf(options)
  check.callable('autocast', 'f', f)
  return within(wanted, f, ...)
end })
