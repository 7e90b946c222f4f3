--- The networks that several groups train or run.
-- @module networks
local nn = require 'nn'

local networks = {}

--- 784-512-512-10.
function networks.mlp()
  return nn.Sequential():add(nn.Linear(784, 512)):add(nn.ReLU()):add(nn.Linear(512, 512)):add(nn.ReLU()):add(nn.Linear(512, 10))
end

--- For pictures of 28x28.
function networks.lenet()
  return nn.Sequential()
    :add(nn.SpatialConvolution(1, 32, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
    :add(nn.SpatialConvolution(32, 64, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
    :add(nn.View(1024)):add(nn.Linear(1024, 256)):add(nn.ReLU()):add(nn.Linear(256, 10))
end

return networks
