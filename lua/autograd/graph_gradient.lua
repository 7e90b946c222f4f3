--- The gradient of a graph, as a graph: the extension point `graphGradient` of `torch.extensions`. The steps run once on the tape inside a
-- capture, so every op that has a rule has a gradient, and gradients have gradients.
-- @module autograd.graph_gradient
local torch, autograd = require 'torch', require 'autograd'
local native = require('torch.graph_object').native

-- Returns the names of the inputs of a graph, and tensors for them: ones, which are valid positions and masks.
local function samplesOf(graph)
  local names, types = native.inputs(graph)
  local samples = {}
  for i, type in ipairs(types) do
    local name = names[i]
    if not type then error(('gradient: %s: an input without sizes, expected a graph with the types of all inputs'):format(name), 0) end
    for _, size in ipairs(type.sizes) do
      if size < 0 then error(('gradient: %s: an input of any size, expected a graph with fixed sizes'):format(name), 0) end
    end
    samples[i] = torch.full(type.sizes, 1, type.dtype)
  end
  return names, samples
end

local function positionsOf(names)
  local positions = {}
  for i, name in ipairs(names) do positions[name] = i end
  return positions
end

-- Returns the steps as a function of the inputs, and the constants by position, which it reads.
local function functionOf(graph, names)
  local constants = {}
  for i, name in ipairs(names) do constants[i] = native.constant(graph, name) end
  return assert(loadstring(native.source(graph), '=graph'))(torch, constants), constants
end

require 'torch.extensions'.register('graphGradient', function(graph, wrt)
  local constantNames = native.info(graph).constants
  local names, samples = samplesOf(graph)
  local forward, constants = functionOf(graph, constantNames)
  local inputAt, constantAt, count, seeds = positionsOf(names), positionsOf(constantNames), #names, {}
  for i, output in ipairs { forward(unpack(samples, 1, count)) } do
    if not torch.isTensor(output) or output:nElement() == 1 then
      seeds[i] = false
    else
      local name = 'g' .. i
      while inputAt[name] do name = name .. '_' end                    -- of a graph that is a gradient itself
      seeds[i] = #names + 1
      names[#names + 1], samples[#samples + 1] = name, torch.full(output:size(), 1, output:type())
    end
  end
  local function backward(...)
    local values, leaves = { ... }, {}
    for k, name in ipairs(wrt) do
      local i = inputAt[name]
      local leaf = i and values[i] or constants[constantAt[name]]
      if not leaf then error(('gradient: wrt: %s, expected names of inputs or constants'):format(tostring(name)), 0) end
      leaf = leaf:detach():requiresGrad()
      leaves[k] = leaf
      if i then values[i] = leaf else constants[constantAt[name]] = leaf end
    end
    local roots, gradients, results = {}, {}, {}
    for i, output in ipairs { forward(unpack(values, 1, count)) } do
      if output:isTracked() then
        roots[#roots + 1] = output
        gradients[#roots] = seeds[i] and values[seeds[i]] or torch.onesLike(output)
      end
    end
    if #roots == 0 then error('gradient: wrt: names on which no output depends, expected others', 0) end
    local found = autograd.grad(roots, leaves, { allowUnused = true, gradOutputs = gradients })
    for k, leaf in ipairs(leaves) do results[k] = found[k] or torch.zerosLike(leaf) end
    return unpack(results)
  end
  return backward, names, samples
end)
