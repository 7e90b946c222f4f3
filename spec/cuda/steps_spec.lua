-- Synchronisation in a training step on the GPU: the host waits only for the loss, when it is read.
if not require 'spec.support.with_cuda' then return end
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local cuda = torch.cuda

local function classifier(...)
  local net = nn.Sequential()
  for _, module in ipairs { ... } do net:add(module) end
  return net
end

local nets = {
  ['a perceptron'] = function()
    return classifier(nn.Linear(20, 30), nn.ReLU(), nn.Linear(30, 10)), torch.FloatTensor(8, 20):uniform()
  end,
  ['a convolutional network'] = function()
    return classifier(nn.SpatialConvolution(1, 4, 3, 3), nn.SpatialBatchNormalization(4), nn.ReLU(), nn.SpatialMaxPooling(2, 2),
      nn.View(36), nn.Linear(36, 10)), torch.FloatTensor(8, 1, 8, 8):uniform()
  end,
  ['words looked up'] = function()
    return classifier(nn.LookupTable(50, 8), nn.View(32), nn.Linear(32, 10)), torch.LongTensor(6, 4):random(50)
  end,
}

describe('A training step of', function()
  for name, make in pairs(nets) do
    it(name .. ' waits for the loss alone', function()
      cuda.load()
      local net, input = make()
      net:to 'float on cuda'
      local criterion = nn.CrossEntropyCriterion():to 'float on cuda'
      local target = torch.LongTensor(input:size(1)):random(10):to 'cuda'
      local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1, momentum = 0.9 })
      input = input:to 'cuda'
      local function step()
        steps:zeroGrad()
        local loss = criterion(net(input), target)
        loss:backward()
        steps:step()
        return loss
      end
      step()
      step()
      cuda.synchronize()
      local before = cuda.counters()
      local loss = step()
      local after = cuda.counters()
      assert.equal(before.synchronizations, after.synchronizations)
      assert.equal(before.copiesToHost, after.copiesToHost)
      assert.is_true(after.launches - before.launches <= 40)
      loss:item()
      assert.equal(before.synchronizations + 1, cuda.counters().synchronizations)
    end)
  end
end)
