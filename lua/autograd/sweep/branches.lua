--- Sweep: first and second derivatives at points where a rule divides or branches: zeros, ties, ends of domains. All float tensors of a
-- sample, or one of them, are moved to such points. The sweep compares the slope of the value, and that of the gradient, with differences
-- along lines: along axes, along the line on which all elements change equally, and along one between. A line counts if differences from
-- both sides, and of two step sizes, agree: there the function, or its gradient, has a slope that the tape must return. Otherwise it has a
-- kink or a pole. Situations in which rounding decides are listed in the op's `rounded`, and left out.
local autograd = require 'autograd.core'
local torch = require 'torch'
local sampleInputs, samples = require 'autograd.sweep.sample_inputs', require 'torch.sweep.samples'

local kind = 'torch.DoubleTensor'

local function withFirst(count, value)
  return function(x)
    x = torch.clone(x)
    for i = 1, math.min(count, x:nElement()) do x:view(-1)[i] = value end
    return x
  end
end
local function filled(value)
  return function(x) return torch.clone(x):fill(value) end
end

-- {name, function that changes a tensor}.
local situations = {
  { 'one zero', withFirst(1, 0) }, { 'two zeros', withFirst(2, 0) }, { 'zero', filled(0) }, { 'equal', filled(1.5) }, { 'ones', filled(1) },
}

local function wavesLike(x, rate)
  if x:nElement() == 0 then return x end
  return torch.view(torch.sin(torch.mul(torch.range(1, x:nElement()):type(kind), rate)), x:size())
end

-- Returns an op as a function of its inputs: the sum of its results with fixed weights, or nil if a result is not finite.
local function asFunction(op, sample)
  return function(xs)
    local loss
    -- Each result has other weights: with equal ones the two kinks of a minimum and a maximum at a tie would cancel.
    for k, y in ipairs { sampleInputs.call(op, sample, kind, xs) } do
      if torch.isTensor(y) and y:isTracked() and y:nElement() > 0 then
        if not torch.all(torch.isfinite(y:detach())) then return nil end
        local part = torch.sum(torch.cmul(y, wavesLike(y, k)))
        loss = loss and torch.add(loss, part) or part
      end
    end
    return loss
  end
end

local function leavesAt(inputs, directions, h)
  local leaves = {}
  for i, x in ipairs(inputs) do leaves[i] = torch.add(x, h, directions[i]):requiresGrad() end
  return leaves
end

local function dot(gradients, directions)
  local sum = 0
  for i, g in pairs(gradients) do                                  -- a pole off the line doesn't matter
    local isOff = torch.eq(directions[i], 0)
    sum = sum + torch.sum(torch.where(isOff, 0, torch.cmul(g:detach(), directions[i])))
  end
  return sum
end

-- Returns the value, and the gradient along `weights`, at a distance from the inputs; nil if there are none.
local function at(f, inputs, directions, weights, h)
  local leaves = leavesAt(inputs, directions, h)
  local done, loss = pcall(f, leaves)
  if not done or not loss then return nil end
  local found
  done, found = pcall(autograd.grad, loss, leaves, { allowUnused = true })
  if not done then return nil end
  return loss:item(), dot(found, weights)
end

-- A difference of two slopes may be a kink or the function's curvature: up to this tolerance it is accepted.
local step, tolerance = 1e-4, 1e-3

-- Returns the slope if differences from both sides and of two steps agree, or nil; `values` are those at -1, -1/4, 0, 1/4 and 1 steps.
local function slope(values)
  local far, near = step, step / 4
  local estimates = {
    (values[1] - values[5]) / -far, (values[2] - values[5]) / -near, (values[3] - values[5]) / near, (values[4] - values[5]) / far,
  }
  local low, high = math.min(unpack(estimates)), math.max(unpack(estimates))
  local agree = high - low <= tolerance * math.max(1, math.abs(low), math.abs(high))      -- false for NaN
  if not agree then return nil end
  local wide, narrow = (values[4] - values[1]) / (2 * far), (values[3] - values[2]) / (2 * near)
  local extrapolated = (16 * narrow - wide) / 15
  return math.abs(wide - narrow) <= tolerance * math.max(1, math.abs(narrow)) and extrapolated or nil
end

-- Returns both slopes from the tape.
local function fromTape(f, inputs, directions, weights)
  local leaves = leavesAt(inputs, directions, 0)
  local loss = f(leaves)
  local found = autograd.grad(loss, leaves, { createGraph = true, allowUnused = true })
  local along
  for i, g in pairs(found) do
    local part = g:isTracked() and torch.sum(torch.cmul(g, weights[i]))
    along = part and (along and torch.add(along, part) or part) or along
  end
  local second = along and dot(autograd.grad(along, leaves, { allowUnused = true }), directions) or 0
  return dot(found, directions), second
end

local function differs(expected, found)
  if not expected then return false end
  local near = math.abs(expected - found) <= tolerance * math.max(1, math.abs(expected))   -- false for NaN
  return not near
end

-- Returns the fault along a line, or nil.
local function alongLine(f, inputs, directions)
  local weights = {}
  for i, x in ipairs(inputs) do weights[i] = torch.add(wavesLike(x, 1.7), 0.3) end
  local values, gradients = {}, {}
  for i, h in ipairs { -step, -step / 4, step / 4, step, 0 } do
    values[i], gradients[i] = at(f, inputs, directions, weights, h)
    if not values[i] or values[i] ~= values[i] or gradients[i] ~= gradients[i] then return nil end
  end
  local first, second = slope(values), slope(gradients)
  if not first then return nil end
  local done, ofValue, ofGradient = pcall(fromTape, f, inputs, directions, weights)
  if not done then return tostring(ofValue) end
  if differs(first, ofValue) then return ('the value changes by %.8g, the tape has %.8g'):format(first, ofValue) end
  if differs(second, ofGradient) then
    return ('the gradient changes by %.8g, the tape has %.8g'):format(second, ofGradient)
  end
end

-- Returns directions of the inputs: {name, one for each}.
local function linesOf(inputs)
  local lines = { { 'all alike', {} }, { 'waves', {} } }
  for i, x in ipairs(inputs) do
    lines[1][2][i], lines[2][2][i] = torch.clone(x):fill(1), wavesLike(x, 2.3 + i)
  end
  for which, x in ipairs(inputs) do
    for element = 1, math.min(#inputs > 1 and 1 or 3, x:nElement()) do
      local axis = {}
      for i, other in ipairs(inputs) do axis[i] = torch.clone(other):zero() end
      axis[which]:view(-1)[element] = 1
      lines[#lines + 1] = { ('element %d of input %d'):format(element, which), axis }
    end
  end
  return lines
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong, certain = {}, {}
  for _, situation in ipairs(situations) do
    if not (op.rounded and op.rounded[situation[1]]) then certain[#certain + 1] = situation end
  end
  if not sampleInputs.hasDerivative(op) then return wrong end
  local checked = 0
  for _, sample in ipairs(samples.of(op, kind)) do
    local elements, inputs = 0, sampleInputs.of(op, sample, kind)
    for _, x in ipairs(inputs) do elements = elements + x:nElement() end
    if not sample.rough and elements > 0 and elements <= 60 and checked < 2 then
      checked = checked + 1
      for _, situation in ipairs(certain) do
        for only = 0, #inputs == 2 and 2 or 0 do
          local arguments = sampleInputs.changed(op, sample, kind, situation[2], only > 0 and only)
          local f, changed = asFunction(op, arguments), sampleInputs.of(op, arguments, kind)
          for _, line in ipairs(linesOf(changed)) do
            local message = alongLine(f, changed, line[2])
            if message then
              local which = only > 0 and ('argument %d alone '):format(only) or ''
              wrong[#wrong + 1] = ('%s, %s%s, along %s: %s'):format(samples.describe(sample), which, situation[1], line[1], message)
            end
          end
        end
      end
    end
  end
  return wrong
end
