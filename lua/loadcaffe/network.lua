--- Networks of Caffe's layers: a chain becomes a flat nn.Sequential, any other network one with an nn.gModule.
-- @module loadcaffe.network
local nn = require 'nn'
local schema = require 'loadcaffe.schema'
local blobs, makers = require 'loadcaffe.blobs', require 'loadcaffe.layers'

-- Layers without a module: sources of data, losses and measures.
local sources, measures = {}, {}
for name in ('Data ImageData HDF5Data MemoryData DummyData WindowData Input'):gmatch '%S+' do sources[name] = true end
for name in ([[
  Accuracy ArgMax Silence HDF5Output EuclideanLoss HingeLoss SigmoidCrossEntropyLoss ContrastiveLoss InfogainLoss
  MultinomialLogisticLoss
]]):gmatch '%S+' do
  measures[name] = true
end

-- The fields of a layer with the parameters of its type.
local fields = {
  Convolution = 'convolution_param', Deconvolution = 'convolution_param', InnerProduct = 'inner_product_param', Pooling = 'pooling_param',
  ReLU = 'relu_param', PReLU = 'prelu_param', ELU = 'elu_param', LRN = 'lrn_param', Dropout = 'dropout_param', Concat = 'concat_param',
  Eltwise = 'eltwise_param', BatchNorm = 'batch_norm_param', Scale = 'scale_param', Bias = 'bias_param', Flatten = 'flatten_param',
  Power = 'power_param', Exp = 'exp_param', Log = 'log_param', Softmax = 'softmax_param',
}

local function isForTrainingOnly(layer)
  for _, rule in ipairs(layer.include or {}) do
    if rule.phase ~= 'TRAIN' then return false end
  end
  return layer.include ~= nil
end

local network = {}

--- Returns the layers of a network, those of the old form in the terms of the new one.
-- @tparam table message of a NetParameter
-- @treturn {table,...}
function network.layersOf(message)
  local list, types = {}, schema.enumerations.V1LayerType
  for _, layer in ipairs(message.layer and #message.layer > 0 and message.layer or message.layers or {}) do
    if layer.layer then error(('layer %s is of a form from before 2014, expected Caffe\'s upgrade_net_proto_binary to have converted it')
      :format(layer.layer.name or '?'), 0) end
    local isOld = message.layer == nil or #message.layer == 0
    local type = layer.type or (isOld and 'NONE' or '')
    list[#list + 1] = setmetatable({ type = isOld and (types.modern[type] or type) or type, isOld = isOld, name = layer.name or '' },
      { __index = layer })
  end
  if #list == 0 then error('no layers, expected a network of Caffe', 0) end
  return list
end

-- Returns the layers that have modules, each with the producers of its inputs. `modelsOnly`: a last Softmax has no module, as in
-- loadcaffe, which ended there.
local function plan(layers, message, keepsSoftmax)
  local produced, steps, unknown = {}, {}, {}
  for _, name in ipairs(message.input or {}) do produced[name] = { input = name, consumers = 0, isSpatial = true } end
  for _, layer in ipairs(layers) do
    local bottoms, tops = layer.bottom or {}, layer.top or {}
    local isLoss = layer.type == 'SoftmaxWithLoss'
    if isForTrainingOnly(layer) and not sources[layer.type] or measures[layer.type] or isLoss and not layer.isOld then
      for _, name in ipairs(tops) do produced[name] = produced[name] or { dropped = true, consumers = 0 } end
    elseif sources[layer.type] then
      for _, name in ipairs(tops) do produced[name] = { input = name, consumers = 0, isSpatial = true } end
    else
      local maker = makers[isLoss and 'Softmax' or layer.type]
      if not maker then unknown[#unknown + 1] = ('%s [type %s]'):format(layer.name, layer.type) end
      local step = { layer = layer, maker = maker, from = {}, consumers = 0, isInPlace = bottoms[1] == tops[1] }
      for i = 1, isLoss and math.min(#bottoms, 1) or #bottoms do
        local source = produced[bottoms[i]]
        if not source then error(('layer %s: no layer before it makes %s'):format(layer.name, bottoms[i]), 0) end
        step.from[i], source.consumers = source, source.consumers + 1
      end
      if #step.from == 0 then error(('layer %s: no inputs, expected one or more'):format(layer.name), 0) end
      steps[#steps + 1] = step
      for _, name in ipairs(tops) do produced[name] = step end
    end
  end
  if #unknown > 0 then error('no modules for the layers ' .. table.concat(unknown, ', '), 0) end
  if not keepsSoftmax then
    for i = #steps, 1, -1 do
      local step = steps[i]
      if step.layer.type == 'Softmax' and not step.layer.isOld and step.consumers == 0 then
        step.from[1].consumers = step.from[1].consumers - 1
        table.remove(steps, i)
      end
    end
  end
  return steps
end

-- Makes the modules of a step, and what is known of its output.
local function make(step, file, weights, report)
  local layer, input = step.layer, step.from[1]
  local words = ('layer %s (%s)'):format(layer.name, layer.type)
  local list = weights and (weights[layer.name] or {}) or layer.blobs or {}
  local result = { isSpatial = input.isSpatial, planes = input.planes }
  local normalisation = input.layer and input.layer.type == 'BatchNorm' and input.consumers == 1 and input.modules[1]
  local tensor, shape = blobs(file, list, words)
  local param = layer[fields[layer.type]] or {}
  local made = { step.maker {
    name = layer.name, type = layer.type, param = param, tensor = tensor, shape = shape, isSpatial = input.isSpatial, planes = input.planes,
    result = result, inputs = #step.from, normalisation = normalisation or nil,
  } }
  step.isSpatial, step.planes, step.modules = result.isSpatial, result.planes, made
  for _, module in ipairs(made) do module.name = module.name or layer.name end
  if layer.type == 'Convolution' or layer.type == 'Deconvolution' then
    local sizes = made[1].weight:size()
    report(('%s: %d %d %d %d'):format(layer.name, sizes[1], sizes[2], sizes[4], sizes[3]))
  elseif layer.type == 'InnerProduct' then
    local sizes = made[#made].weight:size()
    report(('%s: 1 1 %d %d'):format(layer.name, sizes[2], sizes[1]))
  end
end

local function isChain(steps)
  local last = steps[1].from[1]
  for _, step in ipairs(steps) do
    if #step.from ~= 1 or step.from[1] ~= last then return false end
    last = step
  end
  return true
end

-- Makes a graph of nodes; inputs that only losses use are left out.
local function graph(steps)
  local Node = require('nngraph').Node
  local inputs, outputs, nodes = {}, {}, {}
  local function apply(module, from)
    local node = Node { module = module }
    node:add(from)
    return node
  end
  local function nodeOf(source)
    if not nodes[source] then
      nodes[source] = apply(nn.Identity(), {})
      inputs[#inputs + 1] = nodes[source]
    end
    return nodes[source]
  end
  for _, step in ipairs(steps) do
    local from, met = {}, {}
    for i, source in ipairs(step.from) do
      local node = nodeOf(source)
      from[i] = met[node] and apply(nn.Identity(), { node }) or node      -- a node's inputs differ
      met[node] = true
    end
    for _, module in ipairs(step.modules) do
      if module.inplace and not step.isInPlace then module.inplace = false end
      from = { apply(module, from) }
    end
    nodes[step] = from[1]
    if step.consumers == 0 then outputs[#outputs + 1] = nodes[step] end
  end
  return nn.Sequential(nn.gModule(inputs, outputs))
end

--- Makes the network of a message.
-- @tparam table message of a NetParameter
-- @tparam torch.ByteStorage file with the weights
-- @tparam ?table weights lists of blobs by names of layers; nil: each layer has its own
-- @tparam function report called with a line for each layer with weights
-- @treturn nn.Sequential
-- @raise with the names and types of all layers without modules
function network.make(message, file, weights, report)
  local steps = plan(network.layersOf(message), message, weights ~= nil)
  if #steps == 0 then error('no layers with modules, expected a network', 0) end
  for _, step in ipairs(steps) do make(step, file, weights, report) end
  if not isChain(steps) then return graph(steps) end
  local net = nn.Sequential()
  for _, step in ipairs(steps) do
    for _, module in ipairs(step.modules) do net:add(module) end
  end
  return net
end

--- Returns the blobs of layers by their names.
-- @tparam table message of a NetParameter
-- @treturn table
function network.weightsOf(message)
  local weights = {}
  for _, list in ipairs { message.layer or {}, message.layers or {} } do
    for _, layer in ipairs(list) do
      if layer.name and layer.blobs then weights[layer.name] = layer.blobs end
    end
  end
  return weights
end

return network
