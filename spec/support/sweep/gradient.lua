--- Sweep: an op's rule gives the derivatives that central differences show, in float64, and so does the derivative of the rule. Samples
-- made of a single value (full) stand at kinks and poles and are left out.
local autograd = require 'autograd'
local torch = require 'torch'
local exceptions = require 'spec.support.exceptions'
local samples = require 'spec.support.samples'

local kind = 'torch.DoubleTensor'

local function isConstant(op, position) return exceptions.constants[op.name] and exceptions.constants[op.name][position] end

-- An op as a function of its float tensors alone.
local function asFunction(op, sample)
  return function(...)
    local inputs, count = { ... }, 0
    local arguments = samples.map(sample, function(x, _, position)
      if x:type() ~= kind or isConstant(op, position) then return x end
      count = count + 1
      if exceptions.symmetric[op.name] then return torch.mul(torch.add(inputs[count], torch.transpose(inputs[count], -2, -1)), 0.5) end
      return inputs[count]
    end)
    -- An op that always writes into its first argument gets one of its own.
    if op.info.method == 'alwaysInPlace' then arguments[1] = arguments[1]:clone() end
    return op.call(unpack(arguments, 1, arguments.n))
  end
end

-- Numbers of either sign in the sizes of y.
local function weights(y)
  return torch.view(torch.sin(torch.range(1, y:nElement()):type(y:type())), y:size())
end

-- A plain backward, which the binding walks, must give what the walk in Lua does, also where gradients of two calls come together. Gives
-- what is wrong, or nil.
local function compareWalks(f, inputs)
  local leaves, loss = {}, nil
  for i, x in ipairs(inputs) do leaves[i] = x:clone():requiresGrad() end
  for _ = 1, 2 do
    for _, y in ipairs { f(unpack(leaves)) } do
      if torch.isTensor(y) and y:isTracked() and y:nElement() > 0 then
        local part = torch.sum(torch.cmul(y, weights(y)))
        loss = loss and torch.add(loss, part) or part
      end
    end
  end
  if not loss then return nil end
  local expected = autograd.grad(loss, leaves, { retainGraph = true, allowUnused = true })
  loss:backward()
  for i, x in ipairs(leaves) do
    local g = expected[i]
    if (g == nil) ~= (x.grad == nil) then return ('a plain backward and grad disagree whether input %d has a gradient'):format(i) end
    local difference = g and x:nElement() > 0 and torch.max(torch.abs(torch.csub(g, x.grad))) or 0
    local close = difference == 0 or difference <= 1e-11 * (1 + torch.max(torch.abs(g)))
    if not close then
      return ('input %d: a plain backward differs from grad by %g'):format(i, difference)
    end
  end
end

--- @tparam table op as spec.support.registry makes it
-- @treturn {string,...} what is wrong; empty when nothing is
return function(op)
  local wrong, rule = {}, op.rule
  if not op.info.differentiable then return wrong end
  if not rule and not op.composed then return { op.name .. ' has no rule, and its declaration does not say that it needs none' } end
  local written = type(rule) == 'table' and rule.kind
  if written == 'none' or written == 'refuse' then
    return rule.reason and wrong or { op.name .. ' has no derivative, and its rule no reason' }
  end
  local checked = 0
  for _, sample in ipairs(samples.of(op, kind)) do
    local inputs = {}
    samples.map(sample, function(x, _, position)
      if x:type() == kind and not isConstant(op, position) then inputs[#inputs + 1] = x end
      return x
    end)
    local elements = 0
    for _, x in ipairs(inputs) do elements = elements + x:nElement() end
    if not sample.rough and elements > 0 and checked < 4 then
      checked = checked + 1
      local ran, same, message = pcall(autograd.gradcheck, asFunction(op, sample), inputs, { tolerance = 2e-6, directions = 2 })
      if not ran then same, message = false, same end
      if same then
        message = compareWalks(asFunction(op, sample), inputs)
        same = message == nil
      end
      if not same and not (written == 'zero' and tostring(message):find 'no result of the function depends') then
        wrong[#wrong + 1] = ('%s: %s'):format(samples.describe(sample), tostring(message))
      end
    end
  end
  if checked == 0 then return { op.name .. ' has no sample with a derivative' } end
  return wrong
end
