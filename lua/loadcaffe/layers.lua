--- Modules for Caffe's layers, by type.
-- Sources: Caffe 1.0, src/caffe/layers; szagoruyko/loadcaffe for the modules that programs expect.
-- @module loadcaffe.layers
local nn = require 'nn'

-- A function for each type: makes the module of a layer.
-- layer: name, type, param (the type's parameters), tensor(i, ...) (returns blob i, with these sizes if any), shape(i) (its sizes),
-- isSpatial (of its input), planes (of its input, if known), result (to fill: isSpatial, planes), inputs (their number)
local layers = {}

local function fail(layer, words) error(('layer %s (%s): %s'):format(layer.name, layer.type, words), 0) end

-- Returns width and height of a parameter that stands as one number, a list for height and width, or in two fields.
local function pair(layer, name, default)
  local param = layer.param
  local value = param[name == 'kernel' and 'kernel_size' or name]
  if param[name .. '_h'] or param[name .. '_w'] then return param[name .. '_w'] or default, param[name .. '_h'] or default end
  if type(value) ~= 'table' then return value or default, value or default end
  if #value > 2 then fail(layer, ('%s of %d dimensions, expected 2'):format(name, #value)) end
  return value[2] or value[1], value[1]
end

local function windowOf(layer)
  local kW, kH = pair(layer, 'kernel')
  local dW, dH = pair(layer, 'stride', 1)
  local padW, padH = pair(layer, 'pad', 0)
  return kW, kH, dW, dH, padW, padH
end

-- Fills a module from the blobs of its layer: weights, and a bias unless the layer has none.
local function filled(layer, module)
  module.weight:copy(layer.tensor(1, module.weight:size()))
  if layer.param.bias_term == false then
    module:noBias()
  else
    module.bias:copy(layer.tensor(2, { module.bias:size(1) }))
  end
  return module
end

-- Makes a convolution: `names` are the class for most, for dilated ones and for groups; planes of the input and output are those of the
-- weights' dimensions `of`.
local function convolution(layer, names, toInputs)
  local shape = layer.shape(1)
  if #shape ~= 4 then fail(layer, ('weights of %d dimensions, expected 4'):format(#shape)) end
  if (layer.param.axis or 1) ~= 1 then fail(layer, 'an axis other than 1, expected channels there') end
  local groups = layer.param.group or 1
  local dilationW, dilationH = pair(layer, 'dilation', 1)
  local _, _, dW, dH, padW, padH = windowOf(layer)
  local kH, kW = shape[3], shape[4]
  if groups < 1 or shape[1] % groups ~= 0 then fail(layer, ('%s groups, expected a divisor of %d'):format(groups, shape[1])) end
  local first, second = shape[1], shape[2] * groups
  local inputs, outputs = toInputs and first or second, toInputs and second or first
  layer.result.isSpatial, layer.result.planes = true, outputs
  local module
  if groups > 1 then
    module = nn[names[3]](inputs, outputs, { kH, kW }, {
      stride = { dH, dW }, padding = { padH, padW }, dilation = { dilationH, dilationW }, groups = groups,
      bias = layer.param.bias_term ~= false,
    })
    module.weight:copy(layer.tensor(1, module.weight:size()))
    if module.bias then module.bias:copy(layer.tensor(2, { outputs })) end
    return module
  end
  if dilationW == 1 and dilationH == 1 then
    module = nn[names[1]](inputs, outputs, kW, kH, dW, dH, padW, padH)
  elseif names[2] then
    module = nn[names[2]](inputs, outputs, kW, kH, dW, dH, padW, padH, dilationW, dilationH)
  else
    fail(layer, 'a dilation without groups, expected none')
  end
  return filled(layer, module)
end

function layers.Convolution(layer) return convolution(layer, { 'SpatialConvolution', 'SpatialDilatedConvolution', 'Conv2d' }, false) end

function layers.Deconvolution(layer) return convolution(layer, { 'SpatialFullConvolution', nil, 'ConvTranspose2d' }, true) end

local poolings = {
  MAX = { nn.SpatialMaxPooling, nn.SpatialAdaptiveMaxPooling }, AVE = { nn.SpatialAveragePooling, nn.SpatialAdaptiveAveragePooling },
}

function layers.Pooling(layer)
  local kind = poolings[layer.param.pool or 'MAX']
  if not kind then fail(layer, ('pooling %s, expected MAX or AVE'):format(layer.param.pool)) end
  if layer.param.global_pooling then return kind[2](1, 1) end
  local kW, kH, dW, dH, padW, padH = windowOf(layer)
  if not kW then fail(layer, 'no size of its windows, expected kernel_size or kernel_h and kernel_w') end
  local module = kind[1](kW, kH, dW, dH, padW, padH)
  return layer.param.round_mode == 'FLOOR' and module or module:ceil()
end

function layers.InnerProduct(layer)
  local shape, transposed = layer.shape(1), layer.param.transpose
  while #shape > 2 and shape[1] == 1 do table.remove(shape, 1) end      -- of old files: 1, 1, outputs, inputs
  if #shape ~= 2 or (layer.param.axis or 1) ~= 1 then fail(layer, 'expected a matrix of weights, and axis 1') end
  local outputs, inputs = shape[transposed and 2 or 1], shape[transposed and 1 or 2]
  local module = nn.Linear(inputs, outputs, layer.param.bias_term ~= false)
  local weight = layer.tensor(1, shape)
  module.weight:copy(transposed and weight:t() or weight)
  if module.bias then module.bias:copy(layer.tensor(2, { outputs })) end
  local needsView = layer.isSpatial or layer.planes ~= inputs
  layer.result.isSpatial, layer.result.planes = false, outputs
  if not needsView then return module end
  local view = nn.View(-1):setNumInputDims(3)
  view.name = 'torch_view'
  return view, module
end

function layers.ReLU(layer)
  local slope = layer.param.negative_slope or 0
  return slope == 0 and nn.ReLU(true) or nn.LeakyReLU(slope, true)
end

function layers.PReLU(layer)
  local slopes = layer.tensor(1)
  local module = nn.PReLU(layer.param.channel_shared and 0 or slopes:nElement())
  module.weight:copy(slopes)
  return module
end

function layers.LRN(layer)
  local size, alpha, beta, k = layer.param.local_size or 5, layer.param.alpha or 1, layer.param.beta or 0.75, layer.param.k or 1
  if layer.param.norm_region ~= 'WITHIN_CHANNEL' then return nn.SpatialCrossMapLRN(size, alpha, beta, k) end
  -- Caffe computes this one without k.
  local scale = nn.Sequential(nn.Square(), nn.SpatialAveragePooling(size, size, 1, 1, (size - 1) / 2, (size - 1) / 2),
    nn.MulConstant(alpha), nn.AddConstant(1), nn.Power(-beta))
  return nn.Sequential(nn.ConcatTable():add(nn.Identity()):add(scale), nn.CMulTable())
end

function layers.Dropout(layer) return nn.Dropout(layer.param.dropout_ratio or 0.5) end
function layers.ELU(layer) return nn.ELU(layer.param.alpha or 1, true) end
function layers.TanH() return nn.Tanh() end
function layers.Sigmoid() return nn.Sigmoid() end
function layers.AbsVal() return nn.Abs() end
function layers.BNLL() return nn.SoftPlus() end
function layers.Split() return nn.Identity() end

function layers.Softmax(layer)
  if (layer.param.axis or 1) ~= 1 then fail(layer, ('axis %d, expected 1'):format(layer.param.axis)) end
  return layer.isSpatial and nn.SpatialSoftMax() or nn.SoftMax()
end

-- (shift + scale x) ^ power
function layers.Power(layer)
  local net = nn.Sequential()
  local power, scale, shift = layer.param.power or 1, layer.param.scale or 1, layer.param.shift or 0
  if scale ~= 1 then net:add(nn.MulConstant(scale)) end
  if shift ~= 0 then net:add(nn.AddConstant(shift)) end
  if power ~= 1 then net:add(nn.Power(power)) end
  return net:size() == 0 and nn.Identity() or net:size() == 1 and net:get(1) or net
end

-- base ^ (shift + scale x); base -1 is e.
function layers.Exp(layer)
  local base, scale, shift = layer.param.base or -1, layer.param.scale or 1, layer.param.shift or 0
  local factor = base == -1 and 1 or math.log(base)
  return nn.Sequential(nn.MulConstant(scale * factor), nn.AddConstant(shift * factor), nn.Exp())
end

-- The logarithm of (shift + scale x) to a base.
function layers.Log(layer)
  local base, scale, shift = layer.param.base or -1, layer.param.scale or 1, layer.param.shift or 0
  return nn.Sequential(nn.MulConstant(scale), nn.AddConstant(shift), nn.Log(), nn.MulConstant(base == -1 and 1 or 1 / math.log(base)))
end

function layers.Flatten(layer)
  local axis, last = layer.param.axis or 1, layer.param.end_axis or -1
  if axis ~= 1 or last ~= -1 and last ~= 3 then fail(layer, ('axes %d to %d, expected 1 to -1'):format(axis, last)) end
  layer.result.isSpatial, layer.result.planes = false, nil
  return nn.View(-1):setNumInputDims(3)
end

function layers.Concat(layer)
  local axis = layer.param.axis or layer.param.concat_dim or 1
  local dims = layer.isSpatial and 3 or 1
  if axis < 1 or axis > dims then fail(layer, ('axis %d, expected 1 to %d'):format(axis, dims)) end
  layer.result.planes = nil
  return nn.JoinTable(axis, dims)
end

local eltwise = { PROD = nn.CMulTable, SUM = nn.CAddTable, MAX = nn.CMaxTable }

function layers.Eltwise(layer)
  local operation, factors = layer.param.operation or 'SUM', layer.param.coeff
  local module = (eltwise[operation] or fail(layer, ('operation %s, expected PROD, SUM or MAX'):format(operation)))()
  if not factors or #factors == 0 then return module end
  if operation ~= 'SUM' or #factors ~= layer.inputs then
    fail(layer, ('%d coefficients of %s, expected none, or one for each of the %d terms of SUM'):format(#factors, operation, layer.inputs))
  end
  local scaled = nn.ParallelTable()
  for _, factor in ipairs(factors) do scaled:add(nn.MulConstant(factor)) end
  return nn.Sequential(scaled, module)
end

--- Statistics are sums, and the factor of the third blob.
function layers.BatchNorm(layer)
  local mean, variance, factor = layer.tensor(1), layer.tensor(2), layer.tensor(3, { 1 })[1]
  local planes, scale = mean:nElement(), factor == 0 and 0 or 1 / factor
  local module = nn[layer.isSpatial and 'SpatialBatchNormalization' or 'BatchNormalization'](planes, layer.param.eps or 1e-5)
  module.weight:fill(1)
  module.bias:zero()
  module.running_mean:copy(mean:mul(scale))
  module.running_var:copy(variance:view(-1):mul(scale))
  return module
end

-- Makes modules of factors or terms, one for each channel.
local function perChannel(layer, class, blob)
  if (layer.param.axis or 1) ~= 1 or #layer.shape(blob) ~= 1 then fail(layer, 'expected a number for each channel') end
  local values = layer.tensor(blob)
  local n = values:nElement()
  local module = layer.isSpatial and class(1, n, 1, 1) or class(1, n)
  module[class == nn.CMul and 'weight' or 'bias']:copy(values)
  return module
end

function layers.Bias(layer) return perChannel(layer, nn.CAdd, 1) end

--- After a batch normalisation, the factors and terms become its parameters.
function layers.Scale(layer)
  if layer.inputs ~= 1 then fail(layer, ('%d inputs, expected 1'):format(layer.inputs)) end
  local normalisation = layer.normalisation
  if not normalisation then
    local factors = perChannel(layer, nn.CMul, 1)
    if not layer.param.bias_term then return factors end
    return nn.Sequential(factors, perChannel(layer, nn.CAdd, 2))
  end
  local sizes = { normalisation.weight:size(1) }
  normalisation.weight:copy(layer.tensor(1, sizes))
  if layer.param.bias_term then normalisation.bias:copy(layer.tensor(2, sizes)) end
  return nil
end

return layers
