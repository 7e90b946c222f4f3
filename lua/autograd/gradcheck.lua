--- Compares derivatives on the tape with central differences, in float64.
-- @module autograd.gradcheck
local torch, check = require 'torch', require 'torch.check'
local onDeviceOf = require 'autograd.on_device_of'
local mode = require 'autograd.mode'
local backward = require 'autograd.backward'

-- Differences are exact to about step^2 and epsilon / step: 1e-10 at 5e-6, so that 1e-6 leaves room for third derivatives up to 1e4.
local step, defaultTolerance, fullJacobian = 5e-6, 1e-6, 30

-- Returns numbers in -1..1 from a small separate generator: torch's state doesn't change.
local function generator(seed)
  local state = seed
  return function()
    state = (state * 16807) % 2147483647
    return 2 * state / 2147483647 - 1
  end
end

local function like(x, fill)
  local values = {}
  for i = 1, x:nElement() do values[i] = fill(i) end
  return torch.reshape(onDeviceOf(torch.DoubleTensor(values), x), x:size())
end

local function randomLike(x, random) return like(x, random) end

local function oneHotLike(x, k) return like(x, function(i) return i == k and 1 or 0 end) end

local function dot(a, b) return mode.noGrad(function() return torch.sum(torch.cmul(a, b)) end) end

-- Returns the tracked outputs of f as a list.
local function outputsOf(f, inputs)
  local list = {}
  for _, y in ipairs { f(unpack(inputs)) } do
    if torch.isTensor(y) and y:isTracked() then list[#list + 1] = y end
  end
  return list
end

-- Returns the positions of the tracked outputs among all results of f.
local function trackedPositions(f, inputs)
  local positions = {}
  for i, y in ipairs { f(unpack(inputs)) } do
    if torch.isTensor(y) and y:isTracked() then positions[#positions + 1] = i end
  end
  return positions
end

local function shifted(inputs, which, direction, h)
  local list = {}
  for i, x in ipairs(inputs) do list[i] = i == which and torch.add(x, h, direction) or x end
  return list
end

-- Without recording, f may return a number instead of a tensor with one element.
local function asTensor(y, x) return type(y) == 'number' and onDeviceOf(torch.DoubleTensor { y }, x) or y end

-- Returns the derivative of every output along a direction of one input, by differences.
local function differences(f, inputs, positions, which, direction)
  return mode.noGrad(function()
    local up, down = { f(unpack(shifted(inputs, which, direction, step))) }, { f(unpack(shifted(inputs, which, direction, -step))) }
    local list = {}
    for k, position in ipairs(positions) do
      list[k] = torch.div(torch.csub(asTensor(up[position], inputs[1]), asTensor(down[position], inputs[1])), 2 * step)
    end
    return list
  end)
end

local function close(a, b, tolerance)
  return a == b or math.abs(a - b) <= tolerance * math.max(1, math.abs(a), math.abs(b))
end

-- Checks every entry of the Jacobian of each output by each input; the tape computes it row by row.
local function checkJacobian(f, inputs, positions, tolerance)
  for which = 1, #inputs do
    for j = 1, inputs[which]:nElement() do
      local columns = differences(f, inputs, positions, which, oneHotLike(inputs[which], j))
      local outputs = outputsOf(f, inputs)
      for k, y in ipairs(outputs) do
        for i = 1, y:nElement() do
          local g = backward.grad(y, inputs[which], { gradOutputs = oneHotLike(y, i), retainGraph = true, allowUnused = true })
          local fromTape = g and torch.reshape(g:detach(), inputs[which]:nElement())[j] or 0
          local expected = torch.reshape(columns[k], y:nElement())[i]
          if not close(fromTape, expected, tolerance) then
            return false, string.format('output %d, element %d, with regard to input %d, element %d: the tape has %.10g, differences %.10g',
              positions[k], i, which, j, fromTape, expected)
          end
        end
      end
    end
  end
  return true
end

local function checkDirections(f, inputs, positions, tolerance, random, count)
  for _ = 1, count do
    local outputs, weights = outputsOf(f, inputs), {}
    for k, y in ipairs(outputs) do weights[k] = randomLike(y, random) end
    local gradients = backward.grad(outputs, inputs, { gradOutputs = weights, allowUnused = true })
    for which, x in ipairs(inputs) do
      local direction = randomLike(x, random)
      local expected = 0
      for k, d in ipairs(differences(f, inputs, positions, which, direction)) do expected = expected + dot(d, weights[k]) end
      local fromTape = gradients[which] and dot(gradients[which], direction) or 0
      if not close(fromTape, expected, tolerance * math.max(1, math.sqrt(x:nElement()))) then
        return false, ('along a random direction of input %d: the tape has %.10g, differences %.10g'):format(which, fromTape, expected)
      end
    end
  end
  return true
end

local function leaves(inputs)
  local list = {}
  for i, x in ipairs(inputs) do list[i] = x:detach():clone():requiresGrad() end
  return list
end

local function checkFirst(f, inputs, tolerance, random, directions)
  local positions = trackedPositions(f, inputs)
  if #positions == 0 then return false, 'no result of the function depends on its inputs' end
  local elements, results = 0, 0
  for _, x in ipairs(inputs) do elements = elements + x:nElement() end
  for _, y in ipairs(outputsOf(f, inputs)) do results = results + y:nElement() end
  if elements <= fullJacobian and results <= fullJacobian then return checkJacobian(f, inputs, positions, tolerance) end
  return checkDirections(f, inputs, positions, tolerance, random, directions)
end

-- Returns the gradient of f as a function of its inputs and of the weights of its outputs.
local function gradientOf(f, count)
  return function(...)
    local all = { ... }
    local inputs, weights = {}, {}
    for i = 1, #all do
      if i <= count then inputs[i] = all[i] else weights[i - count] = all[i] end
    end
    return mode.enableGrad(function()
      local xs = {}
      for i, x in ipairs(inputs) do xs[i] = x:isTracked() and x or x:detach():requiresGrad() end
      local outputs = outputsOf(f, xs)
      local gradients = backward.grad(outputs, xs, { gradOutputs = weights, createGraph = true, allowUnused = true })
      for i = 1, count do gradients[i] = gradients[i] or torch.mul(xs[i]:detach(), 0) end
      return unpack(gradients, 1, count)
    end)
  end
end

--- Compares the derivatives of f with central differences: the full Jacobian if inputs and results have at most 30 elements, else along
-- random directions. Then does the same for its gradient, unless order is 1.
-- @tparam function f returns one tensor or several, computed from `inputs`; it must not change them
-- @tparam {torch.DoubleTensor,...} inputs the point of comparison; keep away from kinks
-- @tparam[opt] table options order (2), tolerance (1e-6, absolute below 1, else relative), directions (3), seed (1)
-- @treturn boolean whether they agree
-- @treturn ?string the first difference, if they don't
-- @usage assert(autograd.gradcheck(torch.tanh, { torch.DoubleTensor { 0.3, -1.2 } }))
-- A table instead of a function calls torch-autograd's checker: see autograd.classic.checkparameters.
local function gradcheck(f, inputs, options)
  if type(f) == 'table' and inputs == nil then return require 'autograd.classic.checkparameters'(f) end
  check.callable('gradcheck', 'f', f)
  check.table('gradcheck', 'inputs', inputs)
  for i, x in ipairs(inputs) do check.tensor('gradcheck', 'inputs: number ' .. i, x) end
  options = check.options('gradcheck', options, { 'order', 'tolerance', 'directions', 'seed' })
  local tolerance, directions = options.tolerance or defaultTolerance, options.directions or 3
  local random = generator(options.seed or 1)
  return mode.enableGrad(function()
    local xs = leaves(inputs)
    local ok, message = checkFirst(f, xs, tolerance, random, directions)
    if not ok then return false, 'first order: ' .. message end
    if options.order == 1 then return true end
    for _, y in ipairs(outputsOf(f, xs)) do xs[#xs + 1] = randomLike(y, random) end
    local gradient = gradientOf(f, #inputs)
    local all = leaves(xs)
    if #trackedPositions(gradient, all) == 0 then return true end
    ok, message = checkFirst(gradient, all, tolerance, random, directions)
    if not ok then return false, 'second order: ' .. message end
    return true
  end)
end

return gradcheck
