--- A classifier of digits that judges pictures which other networks made: are they digits, and of all kinds?
-- @module digits.judge
local torch, nn, optim, data = require 'torch', require 'nn', require 'optim', require 'data'

local Judge = {}
Judge.__index = Judge

--- Trains a judge on real digits.
-- @tparam torch.FloatTensor pictures N x 28 x 28, from 0 to 1
-- @tparam torch.LongTensor labels N, the digit + 1
-- @tparam int seed
-- @treturn Judge
local function train(pictures, labels, seed)
  local net = nn.Sequential(nn.Conv2d(1, 16, 5, { stride = 2 }), nn.ReLU(), nn.Conv2d(16, 32, 5, { stride = 2 }), nn.ReLU(), nn.Flatten(),
    nn.Dropout(0.3), nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10)):requiresGrad()
  local optimiser = optim.Adam(net:parameters(), { learningRate = 2e-3 })
  local set = data.TensorDataset { input = pictures, target = labels }
  local loader = data.DataLoader(set, { batchSize = 50, shuffle = true, seed = seed })
  for _ = 1, math.ceil(24000 / pictures:size(1)) do
    for batch in loader() do
      optimiser:zeroGrad()
      nn.functional.crossEntropy(net(batch.input:view(-1, 1, 28, 28)), batch.target):backward()
      optimiser:step()
    end
  end
  return setmetatable({ net = net:eval() }, Judge)
end

--- Reads pictures.
-- @tparam torch.FloatTensor pictures N x 28 x 28, from 0 to 1
-- @treturn torch.FloatTensor N, the probability of the likeliest digit
-- @treturn torch.LongTensor N, that digit + 1
function Judge:read(pictures)
  local best, labels = torch.noGrad(function() return torch.softmax(self.net(pictures:contiguous():view(-1, 1, 28, 28)), 2) end):max(2)
  return best:view(-1), labels:view(-1)
end

--- Tells how good pictures are.
-- @tparam torch.FloatTensor pictures N x 28 x 28, from 0 to 1
-- @treturn number percentage of pictures whose digit has a probability of 90 % or more
-- @treturn number percentage of the rarest digit; 10 if all are as frequent
function Judge:score(pictures)
  local best, labels = self:read(pictures)
  local rarest = 100
  for digit = 1, 10 do rarest = math.min(rarest, 100 * torch.eq(labels, digit):double():mean()) end
  return 100 * torch.ge(best, 0.9):double():mean(), rarest
end

return train
