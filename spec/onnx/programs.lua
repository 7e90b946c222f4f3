--- Networks that are exported with any number of examples, for specs and spec/onnx/written.lua: `name`; `x` for onnx.save; `run`, a
-- function of an input, and `inputs`, of which the first is the example.
local torch, nn = require 'torch', require 'nn'

local programs = {}

torch.manualSeed(1)

local function add(name, x, make)
  if torch.isTypeOf(x, 'nn.Module') then x:evaluate() end
  local function run(input) return (type(x) == 'function' and x(input) or x:forward(input)):clone() end
  programs[#programs + 1] = { name = name, x = x, run = run, inputs = { make(3), make(1), make(5) } }
end

local lenet = nn.Sequential()
  :add(nn.SpatialConvolution(1, 6, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
  :add(nn.SpatialConvolution(6, 16, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
  :add(nn.View(16 * 4 * 4):setNumInputDims(3)):add(nn.Linear(256, 120)):add(nn.ReLU())
  :add(nn.Linear(120, 84)):add(nn.ReLU()):add(nn.Linear(84, 10)):add(nn.LogSoftMax()):float()
add('LeNet', lenet, function(n) return torch.randn(n, 1, 28, 28):float() end)

-- Two convolutions around which the input passes.
local function block(inner, outer, stride)
  local branch = nn.Sequential()
    :add(nn.SpatialConvolution(inner, outer, 3, 3, stride, stride, 1, 1)):add(nn.SpatialBatchNormalization(outer)):add(nn.ReLU())
    :add(nn.SpatialConvolution(outer, outer, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(outer))
  local around = inner == outer and nn.Identity() or
    nn.Sequential():add(nn.SpatialConvolution(inner, outer, 1, 1, stride, stride)):add(nn.SpatialBatchNormalization(outer))
  return nn.Sequential():add(nn.ConcatTable():add(branch):add(around)):add(nn.CAddTable()):add(nn.ReLU())
end
local resnet = nn.Sequential()
  :add(nn.SpatialConvolution(3, 8, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(8)):add(nn.ReLU())
  :add(block(8, 8, 1)):add(block(8, 16, 2)):add(nn.SpatialAdaptiveAveragePooling(1, 1))
  :add(nn.View(16):setNumInputDims(3)):add(nn.Linear(16, 10)):float()
resnet:forward(torch.randn(8, 3, 16, 16):float())      -- running statistics
add('ResNet', resnet, function(n) return torch.randn(n, 3, 16, 16):float() end)

-- The next word of a text, from the words before it.
local embedding, lstm, scores = nn.Embedding(50, 16):float(), nn.LSTM(16, 24, 2, true, true):float(), nn.Linear(24, 50):float()
local function words(n) return torch.LongTensor(n, 7):random(1, 50) end
add('LSTM language model', function(tokens)
  local hidden = lstm(embedding:forward(tokens))
  return torch.logsoftmax(scores:clearState():forward(hidden), 3)
end, words)

local tokens, layer = nn.Embedding(50, 16):float(), nn.TransformerEncoderLayer(16, 4, 32, 0.1, 'gelu', 1e-5, true)
local encoder = nn.TransformerEncoder(layer, 2):float()
encoder:evaluate()
add('transformer encoder', function(input) return (encoder:clearState()(tokens:forward(input))) end, words)

return programs
