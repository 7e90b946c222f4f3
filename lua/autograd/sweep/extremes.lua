--- Sweep: if an op's value is finite, its gradient is, too. It uses every sample unchanged, scaled far up and down, with zeros, negative
-- numbers and equal elements, in all arguments or in one. The gradient in float32 must equal the one in float64 of the same numbers, unless
-- it is out of range. Poles are listed in the op's `poles` with the reason; an unnecessary entry is a fault, too. Situations in which
-- rounding decides are listed in its `rounded`; both outcomes are accepted. (A rule that raises an error instead of returning a gradient is
-- not a fault.)
local autograd = require 'autograd.core'
local torch = require 'torch'
local kindOf = require('torch.sweep.elements').kind
local extremes = require 'autograd.sweep.situations'
local sampleInputs, samples = require 'autograd.sweep.sample_inputs', require 'torch.sweep.samples'

local double, float = 'torch.DoubleTensor', 'torch.FloatTensor'

-- Returns the gradients of a call; for an elementwise op also where its values are finite, if some aren't. Returns nil if there are none.
local function gradients(op, arguments, kind)
  local leaves = {}
  local own = sampleInputs.map(op, samples.copied(arguments), kind, function(x, i)
    leaves[i] = x:requiresGrad()
    return x
  end)
  if op.info.method == 'alwaysInPlace' then own[1] = own[1]:clone() end
  local results = { pcall(op.call, unpack(own, 1, own.n)) }
  local loss, finite
  for i = 2, results[1] and #results or 0 do
    local y = results[i]
    if torch.isTensor(y) and y:isTracked() and y:nElement() > 0 then
      finite = torch.isfinite(y:detach())
      if torch.all(finite) then finite = nil elseif not op.elementwise then return nil end
      local weights = torch.view(torch.sin(torch.range(1, y:nElement()):type(kind)), y:size())
      local part = torch.sum(torch.cmul(y, weights))
      loss = loss and torch.add(loss, part) or part
    end
  end
  local done, found = pcall(autograd.grad, loss, leaves, { allowUnused = true })
  return loss and done and found or nil, finite
end

-- Returns the elements of a gradient that count.
local function counted(g, finite)
  if not finite then return torch.view(torch.contiguous(g), -1):double() end
  if not finite:isSameSizeAs(g) then return torch.DoubleTensor(0) end
  return torch.maskedSelect(g, finite):double()
end

-- Returns the fault in the gradients of a sample, or nil.
local function inFloat64(op, arguments)
  local found, finite = gradients(op, arguments, double)
  for i, g in pairs(found or {}) do
    local elements = counted(g, finite)
    if not torch.all(torch.isfinite(elements)) then return ('input %d: an element is not finite'):format(i) end
  end
end
local function inFloat32(op, arguments, near)
  local narrow, finite = gradients(op, arguments, float)
  if not narrow then return nil end
  local wide = gradients(op, samples.map(arguments, function(x) return kindOf(x) == float and x:double() or x end), double)
  for i, g in pairs(wide or {}) do
    local message = narrow[i] and extremes.differ(counted(narrow[i], finite), counted(g, finite), near)
    if message then return ('input %d: %s'):format(i, message) end
  end
end

local function complaints(op, situation)
  local list = {}
  for _, kind in ipairs { double, float } do
    for _, sample in ipairs(samples.of(op, kind)) do
      local change = kind == float and situation[3] or situation[2]
      local _, count = sampleInputs.changed(op, sample, kind, change)
      for only = 0, count > 1 and count or 0 do
        local arguments = sampleInputs.changed(op, sample, kind, change, only > 0 and only)
        local message
        if kind == double then message = inFloat64(op, arguments) else message = inFloat32(op, arguments, situation.near) end
        if message then
          local which = only > 0 and ('argument %d alone '):format(only) or ''
          list[#list + 1] = ('%s, %s%s, %s: %s'):format(samples.describe(sample), which, situation[1], kind, message)
        end
      end
    end
  end
  return list
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong, poles, rounded = {}, op.poles or {}, op.rounded or {}
  if not sampleInputs.hasDerivative(op) then return wrong end
  for _, situation in ipairs(extremes.situations) do
    if not rounded[situation[1]] then
      local list, reason = complaints(op, situation), poles[situation[1]]
      if reason and #list == 0 then wrong[#wrong + 1] = ('%s: it is excepted, and need not be'):format(situation[1]) end
      for _, message in ipairs(reason and {} or list) do wrong[#wrong + 1] = message end
    end
  end
  return wrong
end
