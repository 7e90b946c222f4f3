--- Sweep: if an argument or a result is changed in place before backward, the gradient doesn't change, or an error reports the change.
-- Every tensor of every sample is tested, including positions, masks and weights. For an op with a rule, exactly the tensors that the rule
-- saves cause this error, which names the op and the changed tensor.
local autograd = require 'autograd.core'
local rules, torch = require 'autograd.rules', require 'torch'
local kindOf = require('torch.sweep.elements').kind
local sampleInputs, samples = require 'autograd.sweep.sample_inputs', require 'torch.sweep.samples'
local saves, variant = require 'autograd.saves', require 'autograd.variant'
local node, C = require 'autograd.node', require 'libmoontorch'

local kind = 'torch.DoubleTensor'
local passes = { ['grad'] = {}, ['a recorded pass'] = { createGraph = true }, ['a plain backward'] = false }

local function isMask(x) return kindOf(x) == 'torch.ByteTensor' or kindOf(x) == 'torch.BoolTensor' end

-- Sets other values of the same kind, without recording.
local function change(x)
  if isMask(x) then return x:copy(torch.eq(x, 0):type(x:type())) end
  if x:isFloatingPoint() then return torch.noGrad(function() x:add(0.25) end) end
  x:fill(x:min() == x:max() and 1 or x:max())
end

-- Returns leaves, all tensors and the loss of a call of the op with copies of a sample's tensors; the float ones are tracked, or only one.
local function record(op, sample, only)
  local leaves, tensors = {}, {}
  local arguments = samples.map(sample, function(x)
    local own = x:clone()
    if kindOf(own) == kind and (not only or only == #tensors + 1) then leaves[#leaves + 1] = own:requiresGrad() end
    tensors[#tensors + 1] = own
    return own
  end)
  if op.info.method == 'alwaysInPlace' then arguments[1] = arguments[1]:clone() end
  local loss, made
  for _, y in ipairs { op.call(unpack(arguments, 1, arguments.n)) } do
    if torch.isTensor(y) then
      tensors[#tensors + 1] = y
      made = made or y:isTracked() and C.node(y) or nil
      if y:isTracked() and y:nElement() > 0 then
        local weights = torch.sin(torch.range(1, y:nElement())):to(y:device()):view(y:size())
        local part = torch.sum(torch.cmul(y, weights))
        loss = loss and torch.add(loss, part) or part
      end
    end
  end
  return leaves, tensors, loss, made and (node.owner(made) or made)
end

local function shares(value, x)
  if torch.isTensor(value) then return C.sharesStorage(value, x) end
  local found = false
  for _, element in ipairs(type(value) == 'table' and value or {}) do found = found or shares(element, x) end
  return found
end

-- Returns the possible names in messages of a tensor that the op's rule saves, by the node of the call: none if the rule doesn't save it.
local function namesOfSaved(op, n, x)
  local entry, keep, names = variant.ops[op.name], {}, {}
  for i, part in pairs(entry.parts) do
    if i == 'all' or node.edge(n, i) then saves.collect(part.saves, keep) end
  end
  for i, how in pairs(keep) do
    local watched = how == 'value' or how == 'rest'
    if watched and shares(node.kept(n, i), x) then
      names[#names + 1] = i == 0 and 'its result' or ("argument %d '%s'"):format(i, op.info.arguments[i])
    end
  end
  return names
end

local function gradients(loss, leaves, options)
  if options then return autograd.grad(loss, leaves, { allowUnused = true, createGraph = options.createGraph }) end
  loss:backward()
  local list = {}
  for i, x in ipairs(leaves) do list[i] = x.grad end
  return list
end

-- (A recorded backward pass may use other ops for the same number.)
local function isSame(a, b)
  if a == nil or b == nil then return a == b end
  return a:nElement() == 0 or torch.max(torch.abs(torch.csub(a, b:detach()))) <= 1e-10 * (1 + torch.max(torch.abs(a)))
end

-- Returns the fault if tensor k of the call changes, or nil.
local function complaint(op, sample, only, k, options)
  local leaves, tensors, loss, n = record(op, sample, only)
  if not loss or tensors[k]:nElement() == 0 then return nil end
  local known, expected = pcall(autograd.grad, loss, leaves, { retainGraph = true, allowUnused = true })
  if not known then return nil end
  local names = rules[op.name] and namesOfSaved(op, n, tensors[k])
  change(tensors[k])
  local done, found = pcall(gradients, loss, leaves, options)
  if done and names and #names > 0 then return 'it is saved, and was used as it is now' end
  if not done then
    if not tostring(found):find 'changed in place' then return tostring(found) end
    for _, name in ipairs(names or {}) do
      if tostring(found):find(op.name .. ': backward: ' .. name, 1, true) then return nil end
    end
    return names and 'the message does not tell what changed: ' .. tostring(found) or nil
  end
  for i = 1, #leaves do
    if not isSame(expected[i], found[i]) then return ('the gradient of input %d is another, without a word'):format(i) end
  end
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong = {}
  if not sampleInputs.hasDerivative(op) then return wrong end
  for _, sample in ipairs(samples.of(op, kind)) do
    local _, tensors = record(op, sample)
    for only = 0, sample.rough and -1 or #tensors do
      for k = 1, #tensors do
        for name, options in pairs(passes) do
          local message = complaint(op, sample, only > 0 and only, k, options)
          if message then wrong[#wrong + 1] = ('%s: tensor %d changed, %s: %s'):format(samples.describe(sample), k, name, message) end
        end
      end
    end
  end
  return wrong
end
