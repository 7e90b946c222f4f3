-- Writes a model for the server: `th export.lua MODEL [HIDDEN]`. It is a network of three layers with random weights: 784 inputs, two
-- layers of HIDDEN units (2048: 23 MB of weights), 10 probabilities. The weights are in MODEL.data, which processes map and so share.
local torch, nn, onnx = require 'torch', require 'nn', require 'onnx'

local file, hidden = arg[1], tonumber(arg[2] or 2048)
if not file or not hidden then error('usage: th export.lua MODEL [HIDDEN]', 0) end
torch.manualSeed(1)
local net = nn.Sequential(nn.Linear(784, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 10), nn.SoftMax())
onnx.save(net:float(), file, { inputs = torch.zeros(1, 784):float(), inputNames = { 'x' }, outputNames = { 'scores' }, external = true })
