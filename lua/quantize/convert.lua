--- Converting a prepared network to integers.
-- @module quantize.convert
-- @local
local torch = require 'torch'
local check = require 'torch.check'
local halves, integers = require 'quantize.halves', require 'quantize.integers'
local Network = require 'quantize.Network'
local native = require('torch.graph_object').native

local convert = {}

--- Returns a function that computes the outputs with integers, or with weights of 16 bits.
-- @tparam quantize.Prepared prepared
-- @tparam[opt] function onLayer as in quantize.integers
function convert.runner(prepared, onLayer)
  local options, ranges = prepared.options, {}
  onLayer = onLayer or function() end
  if options.weights ~= 'int8' then
    return halves(prepared.graph, { weights = options.weights, skips = prepared.skips, onLayer = onLayer })
  end
  for id in pairs(prepared.observers) do ranges[id] = prepared:rangeOf(id) end
  return integers(prepared.graph, {
    isDynamic = options.mode == 'dynamic', ranges = ranges, symmetric = options.symmetric, perChannel = options.perChannel,
    symmetricWeights = options.symmetricWeights, skips = prepared.skips, attention = options.attention, onLayer = onLayer,
  })
end

-- The examples of inputs, or tensors of their types.
local function samples(prepared)
  if prepared.inputs then return prepared.inputs end
  local names, types = native.inputs(prepared.graph)
  local list = {}
  for i, type in ipairs(types) do
    if not type then check.raise(('quantize.convert: %s: an input without a type, expected the option input'):format(names[i])) end
    for _, size in ipairs(type.sizes) do
      if size < 0 then check.raise(('quantize.convert: %s: an input of any size, expected the option input'):format(names[i])) end
    end
    list[i] = torch.full(type.sizes, 1, type.dtype)
  end
  return list
end

-- Dimensions of any size, by the position of the input.
local function dynamicDims(graph)
  local _, types = native.inputs(graph)
  local dims
  for i, type in ipairs(types) do
    for d, size in ipairs(type and type.sizes or {}) do
      if size < 0 then
        dims = dims or {}
        dims[i] = d
      end
    end
  end
  return dims
end

--- Returns the graph of integers.
-- @tparam quantize.Prepared prepared
function convert.graph(prepared)
  if prepared.options.weights == 'int8' and prepared.options.mode ~= 'dynamic' and not prepared.hasSeen then
    check.raise 'quantize.convert: prepared: no values seen, expected quantize.calibrate before'
  end
  local run, inputs = convert.runner(prepared), samples(prepared)
  return torch.noGrad(function()
    run(unpack(inputs))      -- packs weights outside of the capture
    local dims = dynamicDims(prepared.graph)
    return (torch.graph.capture(run, inputs, dims and { dynamic = dims }))
  end)
end

--- Returns the network or the graph of integers.
-- @tparam quantize.Prepared prepared
function convert.convert(prepared)
  local graph = convert.graph(prepared)
  return prepared.net and Network(graph) or graph
end

return convert
