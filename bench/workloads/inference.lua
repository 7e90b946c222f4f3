-- Group H: one sample through a network in evaluation mode, without gradients.
local torch, nn = require 'torch', require 'nn'
local measure, networks = require 'measure', require 'networks'

local function inference(id, network, ...)
  local sizes = { ... }
  measure.workload('H.' .. id, function()
    local net, input = network(), torch.randn(unpack(sizes))
    net:evaluate()
    local function call() return net(input) end
    return function() return torch.noGrad(call) end
  end)
end

inference('resnet18', function() return networks.resnet18(false, 1000) end, 1, 3, 224, 224)
inference('mlp', networks.mlp, 1, 784)
inference('linear', function() return nn.Linear(1024, 1024) end, 1, 1024)
