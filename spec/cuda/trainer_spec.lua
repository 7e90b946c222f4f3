-- A training on an emulated GPU: batches are moved, and a run that was stopped continues with the device's generator.
if not require 'spec.support.with_cuda' then return end
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local Trainer, paths = require 'trainer', require 'paths'
local setups = require 'spec.trainer.setups'
local close = require 'spec.support.close'

local folder

local function make(isClassic, device)
  local net = setups.net():float()
  torch.cuda.manualSeed(4)
  return Trainer {
    model = net, criterion = nn.ClassNLLCriterion():float(), device = device or 'cuda', epochs = 2, data = setups.loader(),
    prepare = function(batch) return batch.input:float(), batch.target end, checkpoints = folder,
    optimizer = isClassic and optim.sgd or optim.Adam(net:requiresGrad():parameters(), { learningRate = 0.01 }),
    config = isClassic and { learningRate = 0.1, momentum = 0.9 } or nil, validation = setups.loader(),
  }, net
end

describe('a trainer on a GPU', function()
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
  end)
  after_each(function() paths.rmall(folder, 'yes') end)

  for _, isClassic in ipairs { false, true } do
    it('continues with the same bits, ' .. (isClassic and "by Torch7's protocol" or 'on the tape'), function()
      local whole, net = make(isClassic)
      whole:run()
      assert.equal('cuda:1', net:get(1).weight:device())
      paths.rmall(folder, 'yes')
      local first = make(isClassic)
      first:on('step', function(t) if t.step == 3 then t:stop() end end)
      first:run()
      torch.cuda.manualSeed(99)
      local second, same = make(isClassic)
      torch.cuda.manualSeed(98)
      second:resume()
      assert.equal(8, second.step)
      assert.same(whole.history, second.history)
      assert.equal(setups.hash(net:float()), setups.hash(same:float()))
    end)
  end

  it('reads a checkpoint of the CPU', function()
    local cpu = make(false, 'cpu')
    cpu:run()
    local gpu, net = make(false)
    gpu:load()
    close.assertClose(cpu.model:get(1).weight:detach(), net:get(1).weight:detach():float(), { atol = 0 })
    assert.equal('cuda:1', net:get(1).weight:device())
  end)
end)
