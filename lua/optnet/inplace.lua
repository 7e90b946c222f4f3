--- Turns on `inplace` for modules if results stay the same. A rectifier may overwrite its input if nothing else reads it: neither
-- another branch, nor the backward of the module before it, nor the program. The check compares passes with and without
-- `inplace`.
-- @module optnet.inplace
local torch, nested = require 'torch', require 'nn.nested'

local function cloned(value)
  return nested.map(value, function(tensor) return torch.noGrad(tensor.clone, tensor) end)
end

-- Equal numbers, where NaN equals NaN.
local function isSame(a, b)
  local first, second = nested.flatten(a, {}), nested.flatten(b, {})
  if #first ~= #second then return false end
  for i = 1, #first do
    local x, y = first[i], second[i]
    if not x:isSameSizeAs(y) then return false end
    local differing = x:ne(y)
    if x:isFloatingPoint() then differing:cmul(torch.cmul(x:ne(x), y:ne(y)):mul(-1):add(1):typeAs(differing)) end
    if differing:sum() > 0 then return false end
  end
  return true
end

-- Returns the results of passes over the network, with the same random numbers each time: output, gradInput, gradients of the parameters,
-- and the input after the passes.
local function results(net, input, mode)
  local random, given = torch.getRNGState(), cloned(input)
  local _, gradients = net:parameters()
  local found = { cloned(net:forward(given)) }
  if mode == 'training' then
    net:zeroGradParameters()
    found[2] = cloned(net:backward(given, cloned(found[1])))
    found[3] = cloned(gradients or {})
  end
  found[4] = given
  torch.setRNGState(random)
  return found
end

local function isCandidate(module)
  return module.inplace ~= nil and torch.type(module) ~= 'nn.Threshold' and module.inplace ~= true
end

--- Sets the field `inplace` of the modules that can have it.
-- @tparam nn.Module net
-- @param input
-- @string mode 'inference' or 'training', in which backward counts, too
return function(net, input, mode)
  local candidates = {}
  for _, module in ipairs(net:listModules()) do
    if isCandidate(module) then candidates[#candidates + 1] = module end
  end
  local expected = #candidates > 0 and results(net, input, mode)
  local function holds()
    local done, found = pcall(results, net, input, mode)
    return done and isSame(expected, found)
  end
  local function set(value)
    for _, module in ipairs(candidates) do module.inplace = value end
  end
  set(true)
  if #candidates == 0 or holds() then return end
  set(false)
  for _, module in ipairs(candidates) do
    module.inplace = true
    if not holds() then module.inplace = false end
  end
end
