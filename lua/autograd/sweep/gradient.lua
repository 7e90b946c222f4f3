--- Sweep: an op's rule returns the derivatives that central differences show, in float64, and so does the derivative of the rule. Samples
-- with a single value (full) are at kinks and poles, and are skipped.
local autograd, gradcheck = require 'autograd.core', require 'autograd.gradcheck'
local rules, torch = require 'autograd.rules', require 'torch'
local layouts = require 'torch.sweep.layouts'
local sampleInputs, samples = require 'autograd.sweep.sample_inputs', require 'torch.sweep.samples'

local kind = 'torch.DoubleTensor'

-- Returns an op as a function of its inputs alone.
local function asFunction(op, sample)
  return function(...) return sampleInputs.call(op, sample, kind, { ... }) end
end

-- Returns numbers of either sign in the sizes of y.
local function weights(y)
  return torch.view(torch.sin(torch.range(1, y:nElement()):type(y:type()):to(y:device())), y:size())
end

-- Returns a number that depends on all results of f; calls f twice, so that the gradients of two calls are added.
local function lossOf(f, leaves)
  local loss
  for _ = 1, 2 do
    for _, y in ipairs { f(unpack(leaves)) } do
      if torch.isTensor(y) and y:isTracked() and y:nElement() > 0 then
        local part = torch.sum(torch.cmul(y, weights(y)))
        loss = loss and torch.add(loss, part) or part
      end
    end
  end
  return loss
end

local function differ(a, b)
  local difference = a:nElement() > 0 and torch.max(torch.abs(torch.csub(a, b))) or 0
  local close = difference == 0 or difference <= 1e-10 * (1 + torch.max(torch.abs(a)))
  return not close and difference
end

-- Other ways to compute gradients must agree with autograd.grad. Returns the fault, or nil.
local function comparePasses(op, f, inputs)
  local leaves = {}
  for i, x in ipairs(inputs) do leaves[i] = x:clone():requiresGrad() end
  local loss = lossOf(f, leaves)
  if not loss then return nil end
  local expected = autograd.grad(loss, leaves, { retainGraph = true, allowUnused = true })
  -- A plain backward pass, which the binding runs.
  loss:backward()
  for i, x in ipairs(leaves) do
    local g = expected[i]
    if (g == nil) ~= (x.grad == nil) then return ('a plain backward and grad disagree whether input %d has a gradient'):format(i) end
    local difference = g and differ(g, x.grad)
    if difference then return ('input %d: a plain backward differs from grad by %g'):format(i, difference) end
  end
  if op.needsLayout then return nil end
  -- Recorded rules, with one tracked argument in another memory layout.
  for i, x in ipairs(inputs) do
    for _, layout in ipairs(layouts.of(x)) do
      local others = { unpack(inputs) }
      others[i] = layout[2]:requiresGrad()
      loss = lossOf(f, others)
      local g = loss and autograd.grad(loss, others[i], { createGraph = true, allowUnused = true })
      local difference = g and expected[i] and differ(g:detach(), expected[i])
      if difference then return ('input %d, %s: the gradient differs by %g'):format(i, layout[1], difference) end
    end
  end
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong, rule = {}, rules[op.name]
  if not op.info.differentiable then return wrong end
  if not rule and not op.composed then return { op.name .. ' has no rule, and its declaration does not say that it needs none' } end
  local written = type(rule) == 'table' and rule.kind
  if written == 'none' or written == 'refuse' then
    return rule.reason and wrong or { op.name .. ' has no derivative, and its rule no reason' }
  end
  local checked = 0
  for _, sample in ipairs(samples.of(op, kind)) do
    local elements, inputs = 0, sampleInputs.of(op, sample, kind)
    for _, x in ipairs(inputs) do elements = elements + x:nElement() end
    if not sample.rough and elements > 0 and checked < 4 then
      checked = checked + 1
      local ran, same, message = pcall(gradcheck, asFunction(op, sample), inputs, { tolerance = 2e-6, directions = 2 })
      if not ran then same, message = false, same end
      if same then
        ran, message = pcall(comparePasses, op, asFunction(op, sample), inputs)
        same = ran and message == nil
      end
      if not same and not (written == 'zero' and tostring(message):find 'no result of the function depends') then
        wrong[#wrong + 1] = ('%s: %s'):format(samples.describe(sample), tostring(message))
      end
    end
  end
  if checked == 0 then return { op.name .. ' has no sample with a derivative' } end
  return wrong
end
