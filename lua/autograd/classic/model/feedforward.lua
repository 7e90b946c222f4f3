--- Networks whose layers follow one another.
-- @module autograd.classic.model.feedforward
local torch = require 'torch'
local functionalize = require('autograd.classic.nnwrapper').functionalize
local nn = require 'nn'

local feedforward = {}

-- Creates a stack: `layers` in order, and the indices in `parameters` of those with parameters.
local function newStack(parameters, layers)
  return { parameters = parameters or {}, layers = layers or {}, place = {} }
end

local function push(stack, module)
  local layer, parameters = functionalize(module)
  table.insert(stack.layers, layer)
  if parameters then
    table.insert(stack.parameters, parameters)
    stack.place[layer] = #stack.parameters
  end
end

local function asFunction(stack)
  local layers, place = stack.layers, stack.place
  local function f(parameters, input)
    for _, layer in ipairs(layers) do
      local k = place[layer]
      if k then input = layer(parameters[k], input) else input = layer(input) end
    end
    return input
  end
  return f, stack.parameters, layers
end

local function dropoutOf(options, i)
  return (options.dropoutProbs or {})[i] or options.dropoutProb or 0
end

--- Fully connected layers: Reshape(inputFeatures), then for each layer [Dropout] Linear [BatchNormalization] activation.
-- @tparam[opt] table options inputFeatures (10), hiddenFeatures ({100, 2}), batchNormalization (false), dropoutProb (0), dropoutProbs ({},
--   by layer), activations ('ReLU', a class of nn), classifier (false; true: nothing after the last Linear)
-- @tparam[opt] table parameters list to append to
-- @tparam[opt] table layers likewise
-- @treturn function (parameters, input) -> output
-- @treturn table parameters
-- @treturn table layers
function feedforward.NeuralNetwork(options, parameters, layers)
  options = options or {}
  local stack = newStack(parameters, layers)
  local size, hidden = options.inputFeatures or 10, options.hiddenFeatures or { 100, 2 }
  push(stack, nn.Reshape(size))
  for i, nextSize in ipairs(hidden) do
    local dropout = dropoutOf(options, i)
    if dropout > 0 then push(stack, nn.Dropout(dropout)) end
    push(stack, nn.Linear(size, nextSize))
    if not (options.classifier and i == #hidden) then
      if options.batchNormalization then push(stack, nn.BatchNormalization(nextSize)) end
      push(stack, nn[options.activations or 'ReLU']())
    end
    size = nextSize
  end
  return asFunction(stack)
end

--- Convolutions: for each layer [SpatialDropout] SpatialConvolutionMM [SpatialBatchNormalization] activation [max pooling].
-- @tparam[opt] table options kernelSize (5), padding (ceil(kernelSize - 1) / 2), inputFeatures (3), hiddenFeatures ({16, 32, 64}), poolings
--   ({1, 1, 1}; p x p where above 1), inputStride (1, of the first layer), batchNormalization, dropoutProb, dropoutProbs, activations
-- @tparam[opt] table parameters list to append to
-- @tparam[opt] table layers likewise
-- @treturn function (parameters, input) -> output
-- @treturn table parameters
-- @treturn table layers
function feedforward.SpatialNetwork(options, parameters, layers)
  options = options or {}
  local stack = newStack(parameters, layers)
  local kernel = options.kernelSize or 5
  local padding = options.padding or math.ceil(kernel - 1) / 2
  local size, hidden = options.inputFeatures or 3, options.hiddenFeatures or { 16, 32, 64 }
  local poolings = options.poolings or { 1, 1, 1 }
  for i, nextSize in ipairs(hidden) do
    local dropout, stride = dropoutOf(options, i), i == 1 and options.inputStride or 1
    if dropout > 0 then push(stack, nn.SpatialDropout(dropout)) end
    push(stack, nn.SpatialConvolutionMM(size, nextSize, kernel, kernel, stride, stride, padding, padding))
    if options.batchNormalization then push(stack, nn.SpatialBatchNormalization(nextSize)) end
    push(stack, nn[options.activations or 'ReLU']())
    local pool = poolings[i] or 1
    if pool > 1 then push(stack, nn.SpatialMaxPooling(pool, pool)) end
    size = nextSize
  end
  return asFunction(stack)
end

--- A SpatialNetwork, then a NeuralNetwork that classifies its output.
-- @tparam int depth channels of the input pictures
-- @tparam int height their height
-- @tparam int width their width
-- @tparam[opt] table convOptions as in SpatialNetwork
-- @tparam[opt] table mlpOptions as in NeuralNetwork
-- @treturn function (parameters, input) -> output; parameters are two lists
-- @treturn table parameters
-- @treturn table layers
function feedforward.AlexNet(depth, height, width, convOptions, mlpOptions)
  local conv, mlp = {}, {}
  for name, value in pairs(convOptions or {}) do conv[name] = value end
  for name, value in pairs(mlpOptions or {}) do mlp[name] = value end
  conv.inputFeatures = depth
  local features, convParameters, convLayers = feedforward.SpatialNetwork(conv)
  local sample = torch.zeros(1, depth, height, width):typeAs(convParameters[1][1])
  mlp.inputFeatures = features(convParameters, sample):nElement()
  if mlp.classifier == nil then mlp.classifier = true end
  local classify, mlpParameters, mlpLayers = feedforward.NeuralNetwork(mlp)
  local function f(parameters, input)
    return classify(parameters[2], features(parameters[1], input))
  end
  return f, { convParameters, mlpParameters }, { convLayers, mlpLayers }
end

return feedforward
