--- torch.autocast: mixed precision by lists of ops, on any device.
-- Inside `torch.autocast('bfloat16', f, ...)` tensors of 16 or 32 bits are converted on their way into an op, by the precision of its
-- declaration:
-- matrix products, convolutions and recurrent cells get the 16-bit type; functions that lose much in it, sums and losses get float32; ops
-- that would take the first tensor's type get the widest one. Others take what comes. Parameters stay as they are, and their gradients
-- come out in their own types; their values in 16 bits are kept until the outermost region ends, or they change.
-- float64 stays, with what it meets. So does a call that writes into a given tensor, as methods such as x:exp() and x:addmm(a, b) do.
-- A backward pass computes in the types of its forward, inside a region and outside.
-- @module torch.autocast
local C = require 'libmoontorch'
local composed = require 'torch.composed'
local check, class, regions = require 'torch.check', require 'torch.class', require 'torch.start.regions'

local switch, precision = C.autocast, C.precision

local names = { low = true, float32 = true, widest = true }

local autocast = {}

local function isOp(name) return type(name) == 'string' and (C.opInfo(name) or composed.find(name)) ~= nil end

--- The lists: {low = names, float32 = names, widest = names}, sorted.
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

--- Puts an op on another list.
-- @string op its name, as in torch.ops
-- @tparam ?string list 'low', 'float32', 'widest'; nil takes it off, so that it gets what comes
-- @raise if there is no such op or list
-- @usage torch.autocast.assign('tanh', 'float32')
function autocast.assign(op, list)
  if not isOp(op) then
    check.raise(('autocast.assign: op: %s came, the name of an op was expected'):format(type(op) == 'string' and op or class.type(op)))
  end
  if list ~= nil and not names[list] then
    check.raise(('autocast.assign: list: %s came, low, float32, widest or nil was expected'):format(tostring(list)))
  end
  precision(op, list or false)
end

--- What is on: 'float16', 'bfloat16' or false.
function autocast.type() return switch() end

local function change(wanted)      -- as of torch.start.regions
  local before = switch(wanted)
  if not wanted and not regions.isOpen(change) then C.forgetCasts() end
  return before
end

-- Calls f with a type on, or with none.
local function within(wanted, f, ...) return regions.call(change, wanted, f, ...) end

--- Calls f with autocast off, and returns what it returns.
-- @tparam function f
-- @param ... its arguments
function autocast.off(f, ...)
  check.callable('autocast.off', 'f', f)
  return within(false, f, ...)
end

-- Calls f with what `type` said elsewhere.
autocast.within = within

local function named(wanted)
  if wanted == 'bfloat16' or wanted == 'float16' then return wanted end
  local came = type(wanted) == 'string' and wanted or class.type(wanted)
  check.raise(('autocast: dtype: %s came, bfloat16 or float16 was expected'):format(came))
end

local function typeOf(options)
  if type(options) ~= 'table' then return named(options) end
  check.options('autocast', options, { 'dtype', 'enabled' })
  check.flag('autocast', 'enabled', options.enabled)
  local wanted = named(options.dtype == nil and (switch() or 'bfloat16') or options.dtype)
  return options.enabled ~= false and wanted
end

--- Calls f in mixed precision, and returns what it returns; what was on before is put back, after an error, too.
-- @function autocast
-- @tparam string|table options 'bfloat16' or 'float16'; or a table with `dtype` (that of the region around it, or bfloat16) and `enabled`
--   (false: f computes in the types of its tensors)
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
