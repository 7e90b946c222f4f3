-- Checkpoints of a trainer with the options tensorParallel and pipeline, on real processes, and after failures.
local ranks, program, shell = require 'spec.support.ranks', require 'spec.support.program', require 'spec.support.shell'
local paths, spread = require 'paths', require 'spec.trainer.spread'
local run, folder = spread.run, spread.folder

describe('Checkpoints of a network that is spread', function()
  for _, case in ipairs {
    { 4, '{ tensorParallel = 2, plan = plan }', { 1, 3 } }, { 3, '{ pipeline = 3, microBatches = 2 }', { 2 } },
  } do
    it(('continue with the same bits, with other numbers of ranks, and in one process: %s'):format(case[2]), function()
      local place = folder()
      run(case[1], [[
        local place, distributed = '%s', %s
        local function made(more)
          torch.manualSeed(7)
          more.epochs, more.memory = 4, { rank = -1 }
          return trainerOf(distributed, more)
        end
        local whole = made {}
        whole:run()
        local checkpoints = { folder = place, every = 1, keep = 2 }
        local first = made { checkpoints = checkpoints }
        first.memory.rank = rank
        first:on('step', function(t) if t.step == 6 then t:stop() end end)
        assert(first:run().steps == 6)
        torch.manualSeed(8)
        local second = made { checkpoints = checkpoints }
        assert(second:resume().steps == 16 and second.memory.rank == rank)
        assert(setups.hash(gathered(second)) == setups.hash(gathered(whole)))
        assert(setups.text(second.history) == setups.text(whole.history))
        -- A checkpoint that does not fit changes nothing.
        local odd = net()
        odd.modules[4] = nn.ReLU()
        local other = trainerOf(distributed, { checkpoints = checkpoints, model = odd })
        local kept = setups.hash(gathered(other))
        local done, problem = pcall(other.load, other)
        assert(not done and problem:find 'model: module 3: nn.Tanh, expected that of the model, 3: nn.ReLU', problem)
        assert(setups.hash(gathered(other)) == kept)
        local net = gathered(second)
        if rank == 0 then torch.save(place .. '/expected', net) end
      ]], place, case[2])
      for _, count in ipairs(case[3]) do
        run(count, [[
          local place = '%s'
          local expected, losses = torch.load(place .. '/expected'), {}
          local cases = { n > 1 and true or nil, tensorParallel(n), { pipeline = n } }
          if n == 2 then
            cases[4], cases[5] = { strategy = 'fullShard' }, { strategy = 'shardOptimizer' }
          end
          for i = 1, n == 2 and 5 or 3 do
            local trainer = trainerOf(cases[i], { epochs = 6, checkpoints = place })
            trainer:load()
            assert(trainer.step == 16)
            same(gathered(trainer), expected, 0)
            trainer._checkpoints = nil
            assert(trainer:run().steps == 24 and trainer.average.count == 24)
            losses[i] = trainer.values['validation.loss']
            close(losses[i], losses[1])
          end
        ]], place)
      end
      paths.rmall(place, 'yes')
    end)
  end

  it('continue what one process and whole copies have begun, in the middle of an epoch', function()
    for _, count in ipairs { 1, 2 } do
      local place = folder()
      run(count, [[
        local first = trainerOf(n > 1 and true or nil, { checkpoints = '%s' })
        first:on('step', function(t) if t.step == 6 then t:stop() end end)
        first:run()
      ]], place)
      run(2, [[
        local place = '%s'
        local alone = trainerOf()
        alone:run()
        for _, distributed in ipairs { tensorParallel(2), { pipeline = 2, microBatches = 3 } } do
          local trainer = trainerOf(distributed, { checkpoints = { folder = place, keep = 9 } })
          trainer:load(place .. '/step-0000000006.checkpoint')
          trainer._checkpoints = nil
          assert(trainer:run().steps == 12)
          for epoch, row in ipairs(alone.history) do
            for name, value in pairs(row) do close(trainer.history[epoch][name], value) end
          end
          same(gathered(trainer), alone.model)
        end
      ]], place)
      paths.rmall(place, 'yes')
    end
  end)
end)

-- Rank arg[3] kills itself at step arg[4]; a kill a start.
local killed = [[
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local Trainer, setups, dist = require 'trainer', require 'spec.trainer.setups', require('torch.distributed').init { timeout = 60 }
require('ffi').cdef 'int raise(int);'
local folder, kills = arg[2], {}
for rank, step in arg[3]:gmatch '(%d+):(%d+)' do kills[#kills + 1] = { tonumber(rank), tonumber(step) } end
local function noisy(batch) return batch.input + torch.rand(batch.input:size()) * 0.1, batch.target end
local trainer = Trainer {
  model = setups.net(), criterion = nn.ClassNLLCriterion(), epochs = 3, data = setups.loader { batchSize = 7 },
  validation = setups.loader { seed = 8 }, optimizer = optim.Adam, config = { learningRate = 0.01 }, memory = { drawn = 0 },
  prepare = noisy, checkpoints = { folder = folder, every = 1, keep = 2 },
  distributed = arg[1] == 'layers' and { tensorParallel = 2, plan = { ['0'] = 'gathered', ['4'] = 'scattered' } }
    or { pipeline = 2, microBatches = 2 },
}
torch.manualSeed(dist.rank() + 1)
trainer:on('step', function(t)
  t.memory.drawn = t.memory.drawn + math.random() + torch.uniform()
  local kill = kills[dist.restarts() + 1]
  if kill and t.step == kill[2] and dist.rank() == kill[1] then require('ffi').C.raise(9) end
end)
local result = trainer:resume()
local whole = trainer._ranks:whole(trainer.model)
if dist.rank() == 0 then print(('result %d %s %s %.17g'):format(result.steps, setups.hash(whole), setups.text(trainer.history),
  trainer.memory.drawn)) end
]]

describe('A training of a network that is spread, whose ranks are killed', function()
  for _, kind in ipairs { 'layers', 'stages' } do
    it('continues under th-launch --restart with the same bits: ' .. kind, function()
      ranks.need()
      local script = program.script(killed)
      local function launch(options, place, kills)
        local output, status = shell(('MT_PRESET=%s %s bin/th-launch %s %s %s %s %s 2>&1'):format(os.getenv 'MT_PRESET' or 'release',
          ranks.environment, options, script, kind, place, kills))
        assert.equal(0, status, output)
        return output:match '%[0%] (result[^\r\n]*)', output
      end
      local whole, broken = folder(), folder()
      local expected = launch('-n 2 --seed 1', whole, '-')
      local result, output = launch('-n 2 --seed 1 --restart 2', broken, '1:4,0:7')
      assert.equal(2, select(2, output:gsub('starts again', '')))
      assert.equal(expected, result)
      paths.rmall(whole, 'yes')
      paths.rmall(broken, 'yes')
    end)
  end
end)
