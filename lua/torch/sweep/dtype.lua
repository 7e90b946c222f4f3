--- Sweep: a result has the declared dtype, and the error for an unsupported dtype names the op and the argument.
local torch = require 'torch'
local C = require 'libmoontorch'
local elements = require 'torch.sweep.elements'
local samples = require 'torch.sweep.samples'

local function floatFor(name)
  if name == 'Int' or name == 'Long' or name == 'UInt32' or name == 'UInt64' then return 'Double' end
  if name == 'Half' or name == 'Float' or name == 'Double' or name == 'BFloat16' or name:find '^Complex' then return name end
  return 'Float'
end

local rules = {
  same = function(name) return name end,
  float = floatFor,
  real = function(name) return (name:gsub('^Complex', '')) end,
  mask = function() return 'Byte' end,
  index = function() return 'Long' end,
}

local function takes(op, name, dtype)
  local info = op.info
  -- Views accept every dtype; what a composed op accepts depends on the ops in it.
  if dtype.storage or dtype.kind == 'complex' then
    if op.composed or info.sharing == 'view' then return nil end
    if dtype.storage then return info.storage end
    return info.complex
  end
  local float = floatFor(name) == name
  if name == 'Bool' then return nil end                       -- some ops accept it, most don't
  if float then return info.floats end
  return info.integers
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong = {}
  local rule = rules[op.info.result]
  local function check(dtype)
    local name = dtype.torch
    local kind = 'torch.' .. name .. 'Tensor'
    local sample = samples.of(op, kind)[1]
    if not sample then wrong[#wrong + 1] = op.name .. ' has no samples' return end
    local function note(text) wrong[#wrong + 1] = ('%s %s: %s'):format(kind, samples.describe(sample), text) end
    local tensors = samples.tensors(sample)
    local swept = false
    for _, x in ipairs(tensors) do swept = swept or elements.kind(x) == kind end
    local may = takes(op, name, dtype)
    local ok, result = pcall(op.call, unpack(sample, 1, sample.n))
    if not ok then
      local message = tostring(result)
      local lacksKernel = elements.device and (message:find('the device has no kernel for types for storage', 1, true)
        or dtype.kind == 'complex' and message:find('expected a dtype of real numbers', 1, true))
      local loses = dtype.kind == 'complex' and message:find('expected real numbers for', 1, true)
      if may and swept and not lacksKernel and not loses then note('refused: ' .. message) end
      if not lacksKernel and not message:find('^' .. op.name .. ': %S+: .*torch%.%w+Tensor') then
        note('refused without its dtype: ' .. message)
      end
    else
      if may == false and swept then note 'taken, though the declaration says it is not' end
      if swept and rule and torch.isTensor(result) and elements.kind(result) ~= 'torch.' .. rule(name) .. 'Tensor' then
        note(('%s, expected torch.%sTensor'):format(result:type(), rule(name)))
      end
      -- A float result can't be written to integers.
      if swept and op.info.result == 'float' and op.info.results == 1 and torch.isTensor(result) then
        local fine, message = pcall(op.call, torch.IntTensor(), unpack(sample, 1, sample.n))
        if fine then
          note 'a result of integers was taken'
        elseif not tostring(message):find('^' .. op.name .. ': ') then
          note('a result of integers: ' .. tostring(message))
        end
      end
    end
  end
  for _, dtype in ipairs(C.dtypes) do
    if dtype.kind ~= 'complex' or op.info.complex and not op.composed then check(dtype) end
  end
  return wrong
end
