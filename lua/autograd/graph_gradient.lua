--- The gradient of a graph, as a graph: the extension point `graphGradient` of `torch.extensions`. The steps run once on the tape inside a
-- capture, so every op that has a rule has a gradient, and gradients have gradients.
-- @module autograd.graph_gradient
local C, torch = require 'libmoontorch', require 'torch'
local autograd = require 'autograd'

-- Returns tensors for the inputs of a graph: ones, which are valid positions and masks.
local function samplesOf(graph)
  local samples = {}
  for i, type in ipairs(C.graphTypes(graph)) do
    local name = C.graphInfo(graph).inputs[i]
    if not type then error(('gradient: %s: an input without sizes, expected a graph with the types of all inputs'):format(name), 0) end
    for _, size in ipairs(type.sizes) do
      if size < 0 then error(('gradient: %s: an input of any size, expected a graph with fixed sizes'):format(name), 0) end
    end
    samples[i] = torch.full(type.sizes, 1, type.dtype)
  end
  return samples
end

local function positionsOf(names)
  local positions = {}
  for i, name in ipairs(names) do positions[name] = i end
  return positions
end

-- Returns the outputs, computed on the tape, as functions of inputs and constants.
local function functionOf(graph, info)
  local constants = {}
  for i, name in ipairs(info.constants) do constants[i] = C.graphConstant(graph, name) end
  local chunk = assert(loadstring(C.graphSource(graph), '=graph'))
  return chunk(torch, constants), constants
end

require 'torch.extensions'.register('graphGradient', function(graph, wrt)
  local info = C.graphInfo(graph)
  local inputs, constantAt = positionsOf(info.inputs), positionsOf(info.constants)
  local forward, constants = functionOf(graph, info)
  local names, samples, seeds = { unpack(info.inputs) }, samplesOf(graph), {}
  local count = #names
  for i, output in ipairs { forward(unpack(samples, 1, count)) } do
    if not torch.isTensor(output) or output:nElement() == 1 then
      seeds[i] = false
    else
      seeds[i] = #names + 1
      names[#names + 1], samples[#samples + 1] = 'g' .. i, torch.full(output:size(), 1, output:type())
    end
  end
  local function backward(...)
    local values, leaves = { ... }, {}
    for k, name in ipairs(wrt) do
      local i = inputs[name]
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
