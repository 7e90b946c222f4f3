--- Preparing a network: it is captured as a graph, and its values are observed.
-- @module quantize.prepare
-- @local
local torch = require 'torch'
local check, messages = require 'torch.check', require 'torch.check.message'
local methods, Prepared = require 'quantize.observers'.methods, require 'quantize.Prepared'
local listOf = require 'quantize.inputs'
local inEvaluation = require('nn.support.sample_input').inEvaluation

local function refuse(name, actual, expected)
  check.raise(('quantize.prepare: %s: %s, expected %s'):format(name, messages.value(actual), expected))
end

local known = {
  mode = 'string', input = 'any', batch = 'any', observer = 'string', percentile = 'number', share = 'number', perChannel = 'boolean',
  symmetric = 'boolean', symmetricWeights = 'boolean', attention = 'boolean', skips = 'function', weights = 'string',
}

local function checked(options)
  if options ~= nil and type(options) ~= 'table' then refuse('options', options, 'a table') end
  local result = {
    mode = 'static', perChannel = true, symmetric = false, symmetricWeights = true, attention = true, batch = 1, weights = 'int8',
  }
  for key, value in pairs(options or {}) do
    if not known[key] then refuse('options', key, 'the name of an option') end
    if known[key] ~= 'any' and type(value) ~= known[key] then refuse(key, value, 'a ' .. known[key]) end
    result[key] = value
  end
  check.choice('quantize.prepare', 'mode', result.mode, { 'static', 'dynamic', 'training' })
  check.choice('quantize.prepare', 'weights', result.weights, { 'int8', 'bfloat16', 'half' })
  if result.weights ~= 'int8' and result.mode == 'training' then refuse('mode', 'training', 'static for weights of 16 bits') end
  result.observer = result.observer or (result.mode == 'training' and 'movingAverage' or 'minmax')
  check.choice('quantize.prepare', 'observer', result.observer, methods)
  if result.percentile and not (result.percentile > 0 and result.percentile <= 100) then
    refuse('percentile', result.percentile, 'a number above 0, at most 100')
  end
  if result.share and not (result.share > 0 and result.share <= 1) then refuse('share', result.share, 'a number above 0, at most 1') end
  if result.batch ~= false and (type(result.batch) ~= 'number' or result.batch < 1 or result.batch % 1 ~= 0) then
    refuse('batch', result.batch, 'a dimension, or false')
  end
  return result
end

-- Flattens tables of tensors.
local function flattened(value, list)
  if torch.isTensor(value) then
    list[#list + 1] = value
  else
    for _, each in ipairs(value) do flattened(each, list) end
  end
  return list
end

-- Returns examples, each twice where there is one: captures for any number need two.
local function several(inputs, dim)
  local list = {}
  for i, input in ipairs(inputs) do
    list[i] = dim and input:dim() >= dim and input:size(dim) == 1 and torch.cat({ input, input }, dim) or input
  end
  return list
end

-- Captures a network for any number of examples, if its ops permit that. Returns the graph and the examples.
local function captured(net, options)
  local given = listOf('quantize.prepare: input', options.input)
  local inputs, single = several(given, options.batch), torch.isTensor(options.input)
  local function f(...)
    net:clearState()
    return unpack(flattened(net:forward(single and (...) or { ... }), {}))
  end
  local function capture(dynamic)
    return inEvaluation(net, function()
      return torch.noGrad(function() return (torch.graph.capture(f, inputs, dynamic)) end)
    end)
  end
  if options.batch then
    local dims = {}
    for i, input in ipairs(inputs) do
      if input:dim() >= options.batch then dims[i] = options.batch end
    end
    if next(dims) == nil then refuse('batch', options.batch, 'a dimension of an input') end
    local ok, graph = pcall(capture, { dynamic = dims })
    if ok then return graph, inputs end
  end
  inputs = given
  return capture(), inputs
end

--- Prepares a network or a graph for quantisation.
-- @tparam nn.Module|torch.Graph net
-- @tparam[opt] table options see docs/packages/quantize.md
-- @treturn quantize.Prepared
local function prepare(net, options)
  options = checked(options)
  local graph, inputs
  if torch.typename(net) == 'torch.Graph' then
    graph, inputs = net, options.input and listOf('quantize.prepare: input', options.input)
    if options.mode == 'training' then refuse('mode', 'training', 'a module, whose parameters learn') end
  elseif torch.isTypeOf(net, 'nn.Module') then
    if options.input == nil then refuse('input', nil, 'an example of the input of the network') end
    graph, inputs = captured(net, options)
  else
    refuse('net', net, 'an nn.Module or a torch.Graph')
  end
  for _, input in ipairs(inputs or {}) do
    if input:type() == 'torch.DoubleTensor' then
      refuse('input', 'torch.DoubleTensor', 'float32, in which layers are quantised: net:float(), input:float()')
    end
  end
  local info = graph:info()
  if info.draws then refuse('net', 'random numbers in evaluation mode', 'none') end
  if info.updates > 0 then refuse('net', 'writes to its tensors in evaluation mode', 'none') end
  return Prepared(graph, inputs, options, graph ~= net and net or nil)
end

return prepare
