--- Derivatives of graphs, as graphs: the extension point `graphTransforms` of `torch.extensions`. The steps run once on the tape inside a
-- capture, so every op that has a rule has a gradient, and gradients have gradients.
-- @module autograd.graph_transforms
local torch, autograd = require 'torch', require 'autograd'
local captures, control = require 'torch.graph_capture', require 'torch.graph_control'
local native, anyGradient = require('torch.graph_object').native, require 'autograd.any_gradient'

-- Returns a tensor for an input. Ones are valid positions and masks; with larger numbers on the diagonal, matrices have a full rank.
local function sampleOf(type)
  local sample = torch.full(type.sizes, 1, type.dtype)
  local rows, columns = type.sizes[#type.sizes - 1], type.sizes[#type.sizes]
  if not rows or sample:nElement() == 0 or not sample:isFloatingPoint() then return sample end
  return torch.add(sample, torch.expand(torch.mul(torch.eye(rows, columns):typeAs(sample), rows), sample:size()))
end

-- Returns the names of the inputs of a graph, and tensors for them.
local function samplesOf(where, graph)
  local names, types = native.inputs(graph)
  local samples = {}
  for i, type in ipairs(types) do
    local name = names[i]
    if not type then error(('%s: %s: an input without sizes, expected a graph with the types of all inputs'):format(where, name), 0) end
    for _, size in ipairs(type.sizes) do
      if size < 0 then error(('%s: %s: an input of any size, expected a graph with fixed sizes'):format(where, name), 0) end
    end
    samples[i] = sampleOf(type)
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
  return assert(loadstring(native.source(graph), '=graph'))(torch, constants, control.replay), constants
end

-- A graph as a function on the tape: `names` and `samples` of the inputs, to which a transform may add others.
local function differentiable(where, graph, wrt)
  local constantNames = native.info(graph).constants
  local names, samples = samplesOf(where, graph)
  local forward, constants = functionOf(graph, constantNames)
  local inputAt, constantAt, count = positionsOf(names), positionsOf(constantNames), #names
  for _, name in ipairs(wrt) do
    if not inputAt[name] and not constantAt[name] then
      error(('%s: wrt: %s, expected names of inputs or constants'):format(where, tostring(name)), 0)
    end
  end
  local made = { names = names, samples = samples }

  -- Adds an input; returns its position.
  function made.addInput(name, sample)
    while inputAt[name] do name = name .. '_' end                      -- of a graph that is a transform itself
    names[#names + 1], samples[#samples + 1] = name, sample
    inputAt[name] = #names
    return #names
  end

  -- Returns the tensor by a name of `wrt`.
  function made.sample(name) return inputAt[name] and samples[inputAt[name]] or constants[constantAt[name]] end

  -- Runs the steps with leaves for the names of `wrt`. Returns the outputs and the leaves.
  function made.run(values)
    local leaves = {}
    values = { unpack(values, 1, count) }
    for k, name in ipairs(wrt) do
      local i = inputAt[name]
      local leaf = (i and values[i] or constants[constantAt[name]]):detach():requiresGrad()
      leaves[k] = leaf
      if i then values[i] = leaf else constants[constantAt[name]] = leaf end
    end
    return { forward(unpack(values, 1, count)) }, leaves
  end

  -- Inside a capture, ops return tensors and no numbers.
  local function outputs() return forward(unpack(samples, 1, count)) end
  made.outputs = select(2, captures.list(outputs, { unpack(names) }, { unpack(samples) }))
  return made
end

local transforms = {}

--- Returns a function of the inputs and of gradients of the outputs that computes gradients, the names of its arguments, and samples.
function transforms.gradient(graph, wrt)
  local made, seeds = differentiable('gradient', graph, wrt), {}
  for i, output in ipairs(made.outputs) do
    local isLoss = not torch.isTensor(output) or output:nElement() == 1
    seeds[i] = not isLoss and made.addInput('g' .. i, torch.full(output:size(), 1, output:type()))
  end
  return function(...)
    local values = { ... }
    local outputs, leaves = made.run(values)
    local roots, gradients, results = {}, {}, {}
    for i, output in ipairs(outputs) do
      if output:isTracked() then
        roots[#roots + 1] = output
        gradients[#roots] = seeds[i] and values[seeds[i]] or torch.onesLike(output)
      end
    end
    if #roots == 0 then error('gradient: wrt: names on which no output depends, expected others', 0) end
    local found = autograd.grad(roots, leaves, { allowUnused = true, gradOutputs = gradients })
    for k, leaf in ipairs(leaves) do results[k] = found[k] or torch.zerosLike(leaf) end
    return unpack(results)
  end, made.names, made.samples
end

--- Returns a function of the inputs and of tangents of those in `wrt` that computes the outputs and their tangents, the names of its
-- arguments, and samples. The gradients for outputs' gradients u are linear in u; the backward pass through them, from the tangents to u,
-- gives the derivative along the tangents. Of both passes only this one is left in the graph: no output depends on the first.
function transforms.jvp(graph, wrt)
  local made, tangents = differentiable('jvp', graph, wrt), {}
  for k, name in ipairs(wrt) do
    local sample = made.sample(name)
    tangents[k] = made.addInput('t_' .. name, torch.full(sample:size(), 1, sample:type()))
  end
  return function(...)
    local values = { ... }
    local outputs, leaves = made.run(values)
    local roots, seeds, results, count = {}, {}, {}, #outputs
    for i, output in ipairs(outputs) do
      results[i] = output:detach()
      if output:isTracked() then
        roots[#roots + 1] = output
        seeds[#roots] = anyGradient(results[i]):requiresGrad()
        seeds[output] = seeds[#roots]
      end
    end
    if #roots == 0 then error('jvp: wrt: names on which no output depends, expected others', 0) end
    local found = autograd.grad(roots, leaves, { allowUnused = true, gradOutputs = seeds, createGraph = true })
    local linear, directions = {}, {}
    for k in ipairs(leaves) do
      if found[k] and found[k]:isTracked() then
        linear[#linear + 1], directions[#linear + 1] = found[k], values[tangents[k]]
      end
    end
    local along = #linear > 0 and autograd.grad(linear, { unpack(seeds) }, { allowUnused = true, gradOutputs = directions }) or {}
    local position = 0
    for i, output in ipairs(outputs) do
      if seeds[output] then position = position + 1 end
      results[count + i] = seeds[output] and along[position] or torch.zerosLike(results[i])
    end
    return unpack(results, 1, 2 * count)
  end, made.names, made.samples
end

--- Returns a function of the inputs, those with the names of `wrt` for `size` examples, that computes the outputs for all examples, the
-- names of its arguments, and samples.
function transforms.vmap(graph, wrt, size)
  local names, samples = samplesOf('vmap', graph)
  local inputAt, constants, inDims = positionsOf(names), {}, {}
  for i, name in ipairs(native.info(graph).constants) do constants[i] = native.constant(graph, name) end
  for _, name in ipairs(wrt) do
    local i = inputAt[name]
    if not i then error(('vmap: names: %s, expected names of inputs'):format(tostring(name)), 0) end
    inDims[i] = true
    samples[i] = torch.repeatTensor(torch.unsqueeze(samples[i], 1), size, unpack(torch.ones(samples[i]:dim()):totable()))
  end
  return require 'autograd.batching'.functionOf(native.source(graph), constants, size, inDims), names, samples
end

require 'torch.extensions'.register('graphTransforms', transforms)

return transforms
