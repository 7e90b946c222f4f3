-- Existing programs that use torchnet: its example, a package that defines classes, a library that checks arguments by argcheck.
local run = require('spec.support.program').evaluate

it('a program in the manner of the example of MNIST learns', function()
  assert.equal('learnt', run [[
    require 'nn'
    local tnt = require 'torchnet'
    torch.manualSeed(7)

    -- pictures of 4 x 4 whose brightest row is their class
    local function picture(digit)
      local x = torch.FloatTensor(1, 4, 4):uniform(0, 0.5)
      x[{ 1, digit, {} }]:add(0.7)
      return x
    end
    local digits = torch.LongTensor(200):random(1, 4)
    local function getIterator(mode)
      local list = torch.range(1, 200):long()
      return tnt.DatasetIterator {
        dataset = tnt.BatchDataset {
          batchsize = 20,
          dataset = tnt.ShuffleDataset {
            dataset = tnt.SplitDataset {
              dataset = tnt.ListDataset {
                list = list,
                load = function(idx) return { input = picture(digits[idx]), target = torch.LongTensor { digits[idx] } } end,
              },
              partitions = { train = 0.8, test = 0.2 }, initialpartition = mode,
            },
          },
        },
      }
    end

    torch.setdefaulttensortype 'torch.FloatTensor'
    local net = nn.Sequential():add(nn.View(16)):add(nn.Linear(16, 4))
    local criterion = nn.CrossEntropyCriterion()
    local engine, meter, clerr = tnt.SGDEngine(), tnt.AverageValueMeter(), tnt.ClassErrorMeter { topk = { 1 } }
    engine.hooks.onStartEpoch = function() meter:reset() clerr:reset() end
    engine.hooks.onForwardCriterion = function(state)
      meter:add(state.criterion.output)
      clerr:add(state.network.output, state.sample.target)
    end
    engine:train { network = net, iterator = getIterator 'train', criterion = criterion, lr = 0.5, maxepoch = 12 }
    meter:reset()
    clerr:reset()
    engine:test { network = net, iterator = getIterator 'test', criterion = criterion }
    io.write(clerr:value { k = 1 } < 5 and meter:value() < 0.6 and 'learnt' or clerr:value { k = 1 })
  ]])
end)

it('a package adds a data set and a meter of its own', function()
  assert.equal('tnt.PairDataset 3 2 tnt.Dataset 6 max 4', run [[
    local tnt = require 'torchnet.env'
    local argcheck = require 'argcheck'
    local doc = require 'argcheck.doc'
    doc 'pairs of neighbours'

    local PairDataset, Parent = torch.class('tnt.PairDataset', 'tnt.Dataset', tnt)
    PairDataset.__init = argcheck {
      doc = 'tnt.PairDataset(@ARGP) @ARGT',
      { name = 'self', type = 'tnt.PairDataset' },
      { name = 'dataset', type = 'tnt.Dataset' },
      { name = 'step', type = 'number', default = 1 },
      call = function(self, dataset, step)
        Parent.__init(self)
        self.__dataset, self.__step = dataset, step
      end,
    }
    PairDataset.size = argcheck {
      { name = 'self', type = 'tnt.PairDataset' },
      call = function(self) return self.__dataset:size() - self.__step end,
    }
    PairDataset.get = argcheck {
      { name = 'self', type = 'tnt.PairDataset' }, { name = 'idx', type = 'number' },
      call = function(self, idx) return { self.__dataset:get(idx), self.__dataset:get(idx + self.__step) } end,
    }
    local pairsOf = tnt.PairDataset { dataset = tnt.TableDataset { data = { 1, 2, 4, 8 } } }
    local sum = 0
    for sample in pairsOf:transform(function(p) return p[2] - p[1] end):iterator()() do sum = math.max(sum, sample) end
    local MaxMeter = torch.class('tnt.MaxMeter', 'tnt.Meter', tnt)
    MaxMeter.__init = argcheck { { name = 'self', type = 'tnt.MaxMeter' }, call = function(self) self:reset() end }
    MaxMeter.reset = argcheck { { name = 'self', type = 'tnt.MaxMeter' }, call = function(self) self.max = -math.huge end }
    MaxMeter.add = argcheck {
      { name = 'self', type = 'tnt.MaxMeter' }, { name = 'x', type = 'number' },
      call = function(self, x) self.max = math.max(self.max, x) end,
    }
    MaxMeter.value = argcheck { { name = 'self', type = 'tnt.MaxMeter' }, call = function(self) return self.max end }
    local meter = tnt.MaxMeter()
    meter:add(sum)
    io.write(torch.type(pairsOf), ' ', pairsOf:size(), ' ', #pairsOf:batch(2):get(1), ' ',
      tostring(torch.isTypeOf(pairsOf, 'tnt.Dataset') and 'tnt.Dataset'), ' ', pairsOf:get(2)[1] + pairsOf:get(2)[2])
    io.write(' max ', meter:value())
  ]])
end)

it('a library that checks by argcheck', function()
  assert.equal('points 2 3 5 text false', run [[
    local argcheck = require 'argcheck'
    local geometry = {}
    geometry.point = argcheck {
      help = 'A point.',
      { name = 'x', type = 'number', help = 'from the left', default = 0 },
      { name = 'y', type = 'number', help = 'from above', defaulta = 'x' },
      { name = 'tag', type = 'string', opt = true, check = function(tag) return #tag > 0 end },
      call = function(x, y, tag) return { x, y, tag } end,
    }
    geometry.length = argcheck { { name = 'p', type = 'table' }, nonamed = true,
      call = function(p) return math.sqrt(p[1] ^ 2 + p[2] ^ 2) end }
    geometry.length = argcheck { { name = 'text', type = 'string' }, call = function() return 'text' end, overload = geometry.length }
    local a, b = geometry.point(2, 3), geometry.point { x = 3, y = 4 }
    io.write('points ', a[1], ' ', a[2], ' ', geometry.length(b), ' ', geometry.length 'x', ' ')
    io.write(tostring(pcall(geometry.point, 1, 2, '')))
  ]])
end)
