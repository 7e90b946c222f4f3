-- Random networks against the same modules called one by one on the tape.
local torch, nn = require 'torch', require 'nn'
require 'nngraph'
local assertClose = require('spec.support.close').within(1e-10)

local width = 3

local makers = {
  function() return nn.Linear(width, width), 1 end,
  function() return nn.Tanh(), 1 end,
  function() return nn.Identity(), 1 end,
  function() return nn.MulConstant(0.7), 1 end,
  function() return nn.CAddTable(), 2 end,
  function() return nn.CMulTable(), 3 end,
  function() return nn.CSubTable(), 2 end,
  function() return nn.Sequential():add(nn.JoinTable(2)):add(nn.Linear(2 * width, width)), 2 end,
  function() return nn.ConcatTable():add(nn.Sigmoid()):add(nn.Linear(width, width)), 1, 2 end,
  function() return nn.Identity(), 2, 2 end,
}

-- Some places of a list, all different.
local function pick(count, from)
  local order, places = torch.randperm(from), {}
  for i = 1, count do places[i] = order[i] end
  return places
end

-- A random network, and its calls: {module, positions of its inputs in the list of values, number of results}.
local function made(inputCount, size)
  local nodes, inputs, calls, used = {}, {}, {}, {}
  for i = 1, inputCount do
    inputs[i] = nn.Identity()()
    nodes[i] = inputs[i]
  end
  for _ = 1, size do
    local module, arity, results = makers[torch.random(#makers)]()
    if arity <= #nodes then
      local places, given = pick(arity, #nodes), {}
      for i, place in ipairs(places) do given[i], used[place] = nodes[place], true end
      local node = module(arity == 1 and given[1] or given)
      calls[#calls + 1] = { module, places, results }
      for _, part in ipairs(results and { node:split(results) } or { node }) do nodes[#nodes + 1] = part end
    end
  end
  local outputs, places = {}, {}
  for i, node in ipairs(nodes) do
    if not used[i] then outputs[#outputs + 1], places[#places + 1] = node, i end
  end
  return nn.gModule(inputs, outputs), calls, places
end

-- The values of the outputs by the calls.
local function called(inputs, calls, places)
  local values, outputs = { unpack(inputs) }, {}
  for _, call in ipairs(calls) do
    local given = {}
    for i, place in ipairs(call[2]) do given[i] = values[place] end
    local result = call[1](#given == 1 and given[1] or given)
    for _, value in ipairs(call[3] and result or { result }) do values[#values + 1] = value end
  end
  for i, place in ipairs(places) do outputs[i] = values[place] end
  return outputs
end

describe('a random network', function()
  for seed = 1, 60 do
    it(('of seed %d computes what its modules do'):format(seed), function()
      torch.manualSeed(seed)
      local inputCount = torch.random(3)
      local net, calls, places = made(inputCount, torch.random(14))
      local inputs, leaves, weights = {}, {}, {}
      for i = 1, inputCount do
        inputs[i] = torch.randn(2, width)
        leaves[i] = inputs[i]:clone():requiresGrad()
      end
      for i = 1, #places do weights[i] = torch.randn(2, width) end
      local function single(list) return #list == 1 and list[1] or list end
      local function listed(value) return torch.isTensor(value) and { value } or value end

      local parameters, gradients = net:parameters()
      for _, parameter in ipairs(parameters) do parameter:requiresGrad() end
      local expected, loss = called(leaves, calls, places), 0
      for i, value in ipairs(expected) do loss = loss + torch.cmul(value, weights[i]):sum() end
      loss:backward()
      local byParameter = {}
      for i, parameter in ipairs(parameters) do
        byParameter[i] = parameter.grad and parameter.grad:clone() or parameter:detach():clone():zero()
        parameter:requiresGrad(false)
      end

      for _, each in ipairs { net, net:clone() } do
        for _ = 1, 2 do                                                 -- buffers serve again
          each:zeroGradParameters()
          local output = listed(each:forward(single(inputs)))
          for i, value in ipairs(expected) do assertClose(value:detach(), output[i]) end
          local gradInput = listed(each:backward(single(inputs), single(weights)))
          for i = 1, inputCount do
            assertClose(leaves[i].grad or inputs[i]:clone():zero(), gradInput[i])
          end
          local _, found = each:parameters()
          for i = 1, #found do assertClose(byParameter[i], found[i]) end
        end
      end
      assert.equal(#parameters, #gradients)
      local taped, sum = {}, 0
      for i = 1, inputCount do taped[i] = inputs[i]:clone():requiresGrad() end
      for i, value in ipairs(listed(net(single(taped)))) do sum = sum + torch.cmul(value, weights[i]):sum() end
      sum:backward()
      for i = 1, inputCount do assertClose(leaves[i].grad or inputs[i]:clone():zero(), taped[i].grad or inputs[i]:clone():zero()) end
    end)
  end
end)
