--- What the specs of a trainer whose network is spread over ranks have in common.
local assert, ranks = require 'luassert', require 'spec.support.ranks'

-- Variables of all programs.
local common = [[
  local nn, optim, data, Trainer = require 'nn', require 'optim', require 'data', require 'trainer'
  local setups = require 'spec.trainer.setups'
  local function close(a, b, bound)
    if type(a) == 'number' then a, b = torch.Tensor { a }, torch.Tensor { b } end
    local difference = (a - b):abs():max()
    assert(difference <= (bound or 1e-10), difference)
  end
  -- Modules 0 and 2 are spread by rows and columns, and module 4 stays whole; 3 or 2 stages of two or three modules.
  local function net()
    torch.manualSeed(1)
    return nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 8), nn.Tanh(), nn.Linear(8, 2), nn.LogSoftMax())
  end
  local plan = { ['0'] = 'colwise', ['2'] = 'rowwise' }
  local function tensorParallel(count) return { tensorParallel = count, plan = plan } end
  local function average(list) return optim.EMA(list, { decay = 0.8 }) end
  -- 20 samples in batches of 6: the last one has 2.
  local function trainerOf(distributed, more)
    local options = {
      model = net(), criterion = nn.ClassNLLCriterion(), epochs = 3, data = setups.loader(), validation = setups.loader { seed = 9 },
      optimizer = optim.Adam, config = { learningRate = 0.05 }, distributed = distributed, average = average,
      meters = { confidence = function(output) return output:max(2):exp():mean() end },
    }
    for name, value in pairs(more or {}) do options[name] = value end
    return Trainer(options)
  end
  local function gathered(trainer)
    local model = trainer.model
    if torch.typename(model) == 'nn.PipelineParallel' then return trainer._ranks:whole(model) end
    return model.gathered and model:gathered() or model
  end
  local function same(a, b, bound)
    local x, y = a:stateDict(), b:stateDict()
    for name, value in pairs(x) do close(value:double(), y[name]:double(), bound) end
  end
  -- Checks that a training of all ranks is that of one process.
  local function compare(distributed, more, bound)
    more = more or function() end
    local alone = trainerOf(nil, more())
    torch.manualSeed(3)
    local expected = alone:run()
    torch.manualSeed(3 + rank)
    local together = trainerOf(distributed, more())
    local result = together:run()
    assert(expected.steps == result.steps and expected.reason == result.reason)
    for epoch, row in ipairs(alone.history) do
      local count = 0
      for name, value in pairs(row) do
        close(together.history[epoch][name], value, bound)
        count = count + 1
      end
      assert(count == 7, count)
    end
    local own = gathered(together)
    same(own, alone.model, bound)
    local bits = dist.allGatherObject(setups.hash(own))
    for i = 2, n do assert(bits[i] == bits[1]) end
    return together
  end
]]

local spread = {}

--- Runs a program, with arguments of string.format, on n ranks.
function spread.run(n, code, ...)
  code = select('#', ...) > 0 and code:format(...) or code
  for _, output in ipairs(ranks.run(n, common .. code .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

--- Returns the name of a new folder.
function spread.folder()
  local name = os.tmpname()
  os.remove(name)
  return name
end

return spread
