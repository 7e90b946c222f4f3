-- A program's changes to the names of Lua's functions do not affect Moontorch's files, loaded before or after.
local program = require 'spec.support.program'

-- Names of Lua's functions that programs have used for variables, and all other such names.
local text = [[
  local names, kept, next, put, print = {}, {}, next, rawset, print
  for name in ('assert collectgarbage coroutine debug error getfenv getmetatable io ipairs math next os package pairs pcall rawequal '
      .. 'rawget rawset select setfenv setmetatable string table tonumber tostring type unpack xpcall'):gmatch '%w+' do
    names[#names + 1] = name
  end
  local nn, optim, image, threads, data = require 'nn'
  for _, name in next, names do kept[name] = _G[name] put(_G, name, VALUE) end
  local net = nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.ReLU()):add(nn.View(-1)):add(nn.Linear(8, 2))
  net:add(nn.LogSoftMax())
  local criterion, x = nn.ClassNLLCriterion(), torch.ones(1, 4, 4)
  local w, g = net:getParameters()
  require 'optim'.sgd(function()
    g:zero()
    local y = net:forward(x)
    local loss = criterion:forward(y, 1)
    net:backward(x, criterion:backward(y, 1))
    return loss, g
  end, w, { learningRate = 0.1 })
  local file = torch.MemoryFile()
  file:writeObject(net)
  file:seek(1)
  local same = file:readObject():forward(x):dist(net:forward(x))
  local tracked = torch.ones(2, 2):requiresGrad()
  torch.sum(torch.cmul(tracked, tracked)):backward()
  local parts, sorted = torch.split(torch.ones(4), 2), torch.sort(torch.randn(5))
  local pool, answer = require 'threads'.Threads(1)
  pool:addjob(function() return 7 end, function(value) answer = value end)
  pool:terminate()
  local batch = require 'data'.TensorDataset { torch.ones(4, 2) }:size()
  for name, value in next, kept do put(_G, name, value) end
  print(same, tracked.grad:sum(), #parts, sorted:size(1), answer, batch, tostring(net):match '^%S+')]]

describe('Moontorch goes by Lua\'s own functions', function()
  for _, value in ipairs { 'nil', '"a text"', '0' } do
    it('where a program sets their names to ' .. value, function()
      local output, _, errors = program.run({ '-e', (text:gsub('VALUE', value)) })
      assert.equal('', errors)
      assert.equal('0\t8\t2\t5\t7\t4\tnn.Sequential\t\n', output)
    end)
  end
end)
