-- The check for NaN names the op, the line of the program and the module; and what a run shows on a terminal and in a notebook.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local Trainer = require 'trainer'
local setups, program = require 'spec.trainer.setups', require 'spec.support.program'

local function sgd(net) return optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1 }) end

local function message(options)
  local trainer = Trainer(options)
  local done, problem = pcall(trainer.run, trainer)
  assert.is_false(done)
  return problem, trainer
end

describe('the check for NaN', function()
  local data = { { torch.ones(3, 2), torch.zeros(3, 1) }, { torch.ones(3, 2), torch.zeros(3, 1) } }

  it('names the module and the op, in both protocols', function()
    for _, isClassic in ipairs { false, true } do
      local net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Tanh(), nn.Log()), nn.Linear(3, 1))
      net:get(1).weight:fill(1)
      local before = net:get(1).weight:clone()
      local problem, trainer = message {
        model = net, criterion = nn.MSECriterion(), optimizer = isClassic and optim.sgd or sgd(net), data = data, epochs = 2,
        checkNaN = true, hooks = { batch = function(t)
          if t.step == 1 then torch.noGrad(function() net:get(1).bias:fill(-1e5) end) end      -- tanh(-1e5) is -1
        end },
      }
      assert.matches('Trainer: checkNaN: step 2, batch 2 of epoch 1: log: its result has NaN, its arguments have none; called at '
        .. '.*spec/trainer/nan_spec.lua:%d+, in model.2.2 %(nn.Log%)$', problem)
      assert.equal(1, trainer.step)
      assert.is_true(torch.dist(before, net:get(1).weight:detach()) < 10)
    end
  end)

  it('names the line of a function', function()
    local w = torch.ones(2, 1):requiresGrad()
    local line
    local problem = message {
      model = function(x)
        line = debug.getinfo(1, 'l').currentline + 1
        local y = torch.sqrt(torch.mm(x, w) - 5)      -- a tail call would have no line
        return y
      end,
      criterion = function(y) return torch.sum(y) end, optimizer = optim.SGD { w }, data = { { torch.ones(1, 2) } }, epochs = 1,
      checkNaN = true,
    }
    assert.matches('sqrt: its result has NaN, .*; called at .*spec/trainer/nan_spec.lua:' .. line .. '$', problem)
  end)

  it('names what a backward pass makes', function()
    local w = torch.zeros(1):requiresGrad()
    local problem = message {
      model = function(x) return torch.cmul(torch.sqrt(w), x) end, criterion = function(y) return torch.sum(y) end,
      optimizer = optim.SGD { w }, data = { { torch.zeros(1) } }, epochs = 1, checkNaN = true,      -- 0 times infinity
    }
    assert.matches('checkNaN: step 1, batch 1 of epoch 1: cdiv: its result has NaN, .*; in the backward of sqrt, called at ', problem)
    assert.equal(0, w:detach()[1])
  end)

  it('names inputs, targets and losses', function()
    local function options(input, target, more)
      local net = nn.Linear(2, 1)
      local all = {
        model = net, criterion = nn.MSECriterion(), optimizer = sgd(net), data = { { input, target } }, epochs = 1, checkNaN = true,
      }
      for name, value in pairs(more or {}) do all[name] = value end
      return all
    end
    assert.matches('the input has NaN', (message(options(torch.Tensor { { 1, 0 / 0 } }, torch.ones(1, 1)))))
    assert.matches('the target has NaN', (message(options(torch.ones(1, 2), torch.Tensor { { math.huge } }))))
    local function unrecorded(y) return torch.sum(y) + 0 / 0 end
    assert.matches('NaN', (message(options(torch.ones(1, 2), torch.ones(1, 1), { criterion = unrecorded }))))
  end)

  it('lets a scaler skip steps, and is off by default', function()
    local net = nn.Linear(2, 1)
    local trainer = Trainer {
      model = net, criterion = nn.MSECriterion(), optimizer = sgd(net), data = data, epochs = 1, checkNaN = true,
      scaler = optim.GradScaler { scale = 1e38, backoffFactor = 1e-30 },
    }
    assert.equal(2, trainer:run().steps)
    local other = nn.Linear(2, 1)
    other.weight:fill(0 / 0)
    assert.equal(2, Trainer { model = other, criterion = nn.MSECriterion(), optimizer = sgd(other), data = data, epochs = 1 }:run().steps)
  end)

  it('changes no bit of a training', function()
    local function hash(checks)
      local net = setups.net()
      Trainer {
        model = net, criterion = nn.ClassNLLCriterion(), optimizer = sgd(net), data = setups.loader(), epochs = 2, checkNaN = checks,
        accumulate = 2,
      }:run()
      return setups.hash(net)
    end
    assert.equal(hash(false), hash(true))
  end)
end)

describe('what a training shows', function()
  local script = [[
    local nn, optim, Trainer, setups = require 'nn', require 'optim', require 'trainer', require 'spec.trainer.setups'
    local net = setups.net()
    local trainer = Trainer {
      model = net, criterion = nn.ClassNLLCriterion(), optimizer = optim.SGD(net:requiresGrad():parameters()),
      data = setups.loader(), epochs = 2, progress = PROGRESS,
    }
    trainer:run()]]

  it('is nothing where the output is no terminal', function()
    local name = program.script((script:gsub('PROGRESS', 'true')))
    local output, status, errors = program.run { name }
    assert.same({ '', 0, '' }, { output, status, errors })
    os.remove(name)
  end)

  it('is a bar for each epoch on a terminal', function()
    for progress, pattern in pairs { ['true'] = 'epoch 1/2.*4/4.*loss 0%.%d+.*epoch 2/2.*100%%', ['false'] = '^$' } do
      local name = program.script((script:gsub('PROGRESS', progress)))
      if os.execute 'script -qec true /dev/null >/dev/null 2>&1' ~= 0 then return pending 'no pseudo-terminal can be made here' end
      local pipe = io.popen(("TERM=xterm script -qec '%s %s' /dev/null"):format(program.path, name))
      local shown = pipe:read '*a'
      pipe:close()
      assert.matches(pattern, shown)
      os.remove(name)
    end
  end)

  it('ends with an error in a hook', function()
    local net = setups.net()
    local trainer = Trainer {
      model = net, criterion = nn.ClassNLLCriterion(), optimizer = sgd(net), data = setups.loader(), epochs = 1,
      hooks = { step = function() error 'mine' end },
    }
    assert.error_matches(function() trainer:run() end, 'mine')
    assert.is_nil(trainer._bar)
    assert.is_false(trainer._running)
  end)

  it('is a plot in a notebook, which is drawn anew after each epoch', function()
    local frontend = require('torch.modules').require 'notebook.frontend'
    local show, shown = frontend.show, {}
    frontend.show = function(how, data, _, id) shown[#shown + 1] = { how, data['image/svg+xml'], id } end
    package.loaded['moontorch.notebook.kernel'] = true
    local net = setups.net()
    local options = {
      model = net, criterion = nn.ClassNLLCriterion(), optimizer = sgd(net), data = setups.loader(), epochs = 3, plot = true,
      validation = setups.loader(), progress = false,
    }
    local done, problem = pcall(function() Trainer(options):run() end)
    package.loaded['moontorch.notebook.kernel'], frontend.show = nil, show
    assert(done, problem)
    assert.equal(3, #shown)
    assert.same({ 'display', 'update', 'update' }, { shown[1][1], shown[2][1], shown[3][1] })
    assert.equal(shown[1][3], shown[3][3])
    for i = 1, 3 do
      assert.equal(2 * i, select(2, shown[i][2]:gsub('<circle', '')) - 2)      -- a mark in the legend for each curve
      assert.matches('>validation.loss<', shown[i][2])
    end
    Trainer(options):run()      -- in a terminal nothing is drawn
    assert.equal(3, #shown)
  end)
end)
