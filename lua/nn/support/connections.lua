--- The common part of convolutions with a table of connections: (n, 2) pairs of input and output plane, each with a kernel (kH, kW).
-- @module nn.support.connections
local torch, check = require 'torch', require 'torch.check'
local nn, window = require 'nn', require 'nn.support.window'
local boundOf = require 'nn.support.bound'

local connections = {}

local function init(module, connTable, kW, kH, dW, dH)
  window.set(module, 'k', 1, kW, kH)
  window.set(module, 'd', 1, dW or 1, dH or 1)
  if not torch.isTensor(connTable) or connTable:dim() ~= 2 or connTable:size(2) ~= 2 then
    check.raise(('%s: connTable: a %s, expected a tensor of pairs'):format(torch.type(module), torch.type(connTable)))
  end
  module.connTable = connTable
  module.nInputPlane, module.nOutputPlane = connTable:select(2, 1):max(), connTable:select(2, 2):max()
  module:declare('weight', torch.Tensor(connTable:size(1), module.kH, module.kW))
  module:declare('bias', torch.Tensor(module.nOutputPlane))
  module:reset()
end

-- Returns the number of connections of each output plane.
local function fanIns(module)
  local counts = {}
  for k = 1, module.connTable:size(1) do
    local plane = module.connTable[k][2]
    counts[plane] = (counts[plane] or 0) + 1
  end
  return counts
end

-- Draws each kernel, then each bias, uniformly between -s and s, s = 1 / sqrt(kW kH fan-in of its output plane); `stdv` sets their
-- standard deviation instead.
local function reset(module, stdv)
  local counts, size = fanIns(module), module.kW * module.kH
  local function fill(slices, planeOf)
    for k = 1, slices:size(1) do
      local bound = boundOf(module, stdv, 1 / math.sqrt(size * (counts[planeOf(k)] or 1)))
      slices:narrow(1, k, 1):uniform(-bound, bound)
    end
  end
  torch.noGrad(function()
    fill(module.weight, function(k) return module.connTable[k][2] end)
    if module.bias then fill(module.bias, function(plane) return plane end) end
  end)
end

--- Returns the weights between all planes, zero for pairs without a connection.
-- @tparam nn.Module module
-- @tparam boolean inputFirst whether input planes are the first dimension, else output planes
-- @treturn torch.Tensor (planes, planes, kH, kW)
function connections.dense(module, inputFirst)
  local from, to = module.connTable:select(2, 1):_as 'Long', module.connTable:select(2, 2):_as 'Long'
  local rows, columns = to, from
  local sizes = { module.nOutputPlane, module.nInputPlane, module.kH, module.kW }
  if inputFirst then
    rows, columns = from, to
    sizes[1], sizes[2] = sizes[2], sizes[1]
  end
  local places = torch.add(torch.mul(torch.add(rows, -1), sizes[2]), columns)
  local zeros = module.weight.new():resize(sizes[1] * sizes[2], module.kH, module.kW):zero()
  return torch.reshape(torch.indexAdd(zeros, 1, places, module.weight), sizes)
end

-- parameters = parameters - decay * parameters
-- @tparam nn.Module module
-- @number decay
local function decayParameters(module, decay)
  torch.noGrad(function()
    module.weight:add(-decay, module.weight)
    if module.bias then module.bias:add(-decay, module.bias) end
  end)
end

local function describe(module)
  return ('(%d -> %d, %s)'):format(module.nInputPlane, module.nOutputPlane, window.describe(module, 2))
end

--- Creates a class.
-- @string name of the class
-- @tparam function compute
-- @tparam table samples for the specs
-- @treturn table the class, with the constructor (connTable, kW, kH, dW, dH)
function connections.class(name, compute, samples)
  local class, parent = nn.declare { name = name, compute = compute, prints = describe, samples = samples }

  function class:__init(connTable, kW, kH, dW, dH)
    parent.__init(self)
    init(self, connTable, kW, kH, dW, dH)
  end

  class.reset, class.decayParameters, class.noBias = reset, decayParameters, require 'nn.support.no_bias'
  class.sharedAccUpdateGradParameters = nn.Module.defaultAccUpdateGradParameters
  return class
end

return connections
