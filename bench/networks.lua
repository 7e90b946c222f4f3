--- The networks that several groups train or run.
-- @module networks
local torch, nn = require 'torch', require 'nn'

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

local function convolution(from, to, size, stride)
  return nn.SpatialConvolution(from, to, size, size, stride, stride, (size - 1) / 2, (size - 1) / 2):noBias()
end

-- Two 3x3 convolutions plus their input; a 1x1 convolution of the input adapts its shape if that changes.
local function basicBlock(from, to, stride)
  local main = nn.Sequential()
    :add(convolution(from, to, 3, stride)):add(nn.SpatialBatchNormalization(to)):add(nn.ReLU())
    :add(convolution(to, to, 3, 1)):add(nn.SpatialBatchNormalization(to))
  local aside = nn.Identity()
  if stride ~= 1 or from ~= to then
    aside = nn.Sequential():add(convolution(from, to, 1, stride)):add(nn.SpatialBatchNormalization(to))
  end
  return nn.Sequential():add(nn.ConcatTable():add(main):add(aside)):add(nn.CAddTable()):add(nn.ReLU())
end

--- ResNet-18: for pictures of 32x32 (small) with a 3x3 stem, else with a 7x7 stem and pooling.
function networks.resnet18(small, classes)
  local stem = small and convolution(3, 64, 3, 1) or convolution(3, 64, 7, 2)
  local net = nn.Sequential():add(stem):add(nn.SpatialBatchNormalization(64)):add(nn.ReLU())
  if not small then net:add(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1)) end
  local from = 64
  for stage, to in ipairs { 64, 128, 256, 512 } do
    net:add(basicBlock(from, to, stage == 1 and 1 or 2)):add(basicBlock(to, to, 1))
    from = to
  end
  return net:add(nn.SpatialAdaptiveAveragePooling(1, 1)):add(nn.View(512):setNumInputDims(3)):add(nn.Linear(512, classes))
end

local function charLayers() return nn.Embedding(65, 128), nn.Linear(128, 65) end

-- A module that computes a function; the modules that the function uses are its children.
local function composed(parts, forward)
  local model = nn.Container()
  for _, part in ipairs(parts) do model:add(part) end
  model.compute = function(_, x) return forward(x) end
  return model
end

--- char-rnn: embedding 65x128, 2 layers of LSTM 128, linear 128-65, by the library's LSTM layer.
function networks.charFused()
  local embedding, output = charLayers()
  local lstm = nn.LSTM(128, 128, { layers = 2 })
  return composed({ embedding, lstm, output }, function(x)
    return output(torch.view(lstm(embedding(x)), x:nElement(), 128))
  end)
end

--- The same as a loop over time over two cells.
function networks.charCells()
  local embedding, output = charLayers()
  local first, second = nn.LSTMCell(128, 128), nn.LSTMCell(128, 128)
  return composed({ embedding, first, second, output }, function(x)
    local all, outputs, a, b = embedding(x), {}, {}, {}
    for t = 1, x:size(1) do
      a = first { torch.select(all, 1, t), a[1], a[2] }
      b = second { a[1], b[1], b[2] }
      outputs[t] = b[1]
    end
    return output(torch.cat(outputs, 1))
  end)
end

--- One encoder layer d 256, 4 heads, feed-forward 1024 ReLU, norm after the residual.
function networks.transformer()
  local attention, firstNorm, secondNorm = nn.MultiheadAttention(256, 4), nn.LayerNorm(256), nn.LayerNorm(256)
  local wide, narrow = nn.Linear(256, 1024), nn.Linear(1024, 256)
  return composed({ attention, firstNorm, wide, narrow, secondNorm }, function(x)
    local h = firstNorm(torch.add(x, attention(x)))
    local rows = torch.view(h, x:size(1) * x:size(2), 256)
    local y = narrow(torch.relu(wide(rows)))
    return torch.view(secondNorm(torch.add(rows, y)), x:size())
  end)
end

--- Child-sum tree-LSTM by plain recursion: node i of 20 has the children 2i + 1 and 2i + 2, counted from 0.
function networks.treeLstm()
  local d = 32
  local wx, wf, uh, uf = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, 3 * d, false), nn.Linear(d, d, false)
  local output = nn.Linear(d, 5)
  local function node(x, i)
    local row = torch.narrow(x, 1, i + 1, 1)
    local gates, forget, sum, cell = wx(row), nil, nil, nil
    for child = 2 * i + 1, math.min(2 * i + 2, 19) do
      local h, c = node(x, child)
      forget = forget or wf(row)
      local kept = torch.cmul(torch.sigmoid(torch.add(forget, uf(h))), c)
      sum, cell = sum and torch.add(sum, h) or h, cell and torch.add(cell, kept) or kept
    end
    if sum then gates = torch.add(gates, uh(sum)) end
    local opened = torch.sigmoid(torch.narrow(gates, 2, 1, 2 * d))
    local fresh = torch.cmul(torch.narrow(opened, 2, 1, d), torch.tanh(torch.narrow(gates, 2, 2 * d + 1, d)))
    cell = cell and torch.add(cell, fresh) or fresh
    return torch.cmul(torch.narrow(opened, 2, d + 1, d), torch.tanh(cell)), cell
  end
  return composed({ wx, wf, uh, uf, output }, function(x) return output((node(x, 0))) end)
end

return networks
