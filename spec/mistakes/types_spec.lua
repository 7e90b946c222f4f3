-- A type of tensors by any of its names, wherever the name of one is taken.
local torch, nn = require 'torch', require 'nn'
local mistakes = require 'spec.support.mistakes'
local files, paths = require 'spec.support.files', require 'paths'

local names = { 'half', 'Half', 'HalfTensor', 'float16', 'torch.HalfTensor', torch.float16 }

local function network() return nn.Sequential(nn.Linear(2, 3), nn.Tanh()) end

-- Functions that accept the name of a type -> the type of the result.
local takers = {
  ['a tensor'] = function(name) return torch.ones(2):type(name) end,
  ['to of a tensor'] = function(name) return torch.ones(2):to(name) end,
  ['torch.zeros'] = function(name) return torch.zeros(2, name) end,
  ['torch.tensor'] = function(name) return torch.tensor({ 1 }, name) end,
  ['a module'] = function(name) return nn.Linear(2, 3):type(name).weight end,
  ['to of a module'] = function(name) return network():to(name):get(1).weight end,
  ['its fields'] = function(name) return torch[network():to(name):type():match '%.(.*)']() end,
  ['a criterion'] = function(name) return nn.ClassNLLCriterion(torch.ones(3)):type(name).weights end,
  ['to of a criterion'] = function(name) return nn.ClassNLLCriterion(torch.ones(3)):to(name).weights end,
  ['nn.utils.recursiveType'] = function(name) return nn.utils.recursiveType({ { torch.ones(2) } }, name)[1][1] end,
  ['nn.Copy'] = function(name) return nn.Copy(nil, name).output end,
  ['nn.Copy:type'] = function(name) return nn.Copy():type(name):forward(torch.ones(2)) end,
  ['nn.DontCast'] = function(name) return nn.DontCast(nn.Tanh():half(), true, true, name):forward(torch.ones(2)):to(name) end,
  ['the default'] = function(name)
    local before = torch.getdefaulttensortype()
    torch.setdefaulttensortype(name)
    local x = torch.Tensor(1)
    torch.setdefaulttensortype(before)
    return x
  end,
  ['torch.csv'] = function(name)
    local file = paths.tmpname()
    files.write(file, '1,2\n')
    local x = torch.csv.load(file, { type = name })
    os.remove(file)
    return x
  end,
}

describe('any name of a type is taken by', function()
  for where, take in pairs(takers) do
    it(where, function()
      for _, name in ipairs(names) do assert.equal('torch.HalfTensor', take(name):type(), name) end
    end)
  end
end)

describe('modules and criteria', function()
  it('have the methods of all floats', function()
    for method, typename in pairs { half = 'Half', bfloat16 = 'BFloat16', float = 'Float', double = 'Double' } do
      local net = network()
      assert.equal(net, net[method](net))
      assert.equal('torch.' .. typename .. 'Tensor', net:get(1).bias:type())
      assert.equal('torch.' .. typename .. 'Tensor', net:type())
      local criterion = nn.ClassNLLCriterion(torch.ones(3))
      assert.equal('torch.' .. typename .. 'Tensor', criterion[method](criterion).weights:type())
    end
  end)

  it('hand the whole name to classes of programs', function()
    local Seen = torch.class('nn.SeenType', 'nn.Module')
    function Seen:type(name, cache)
      self.seen = name
      return nn.Module.type(self, name, cache)
    end
    local seen = nn.SeenType()
    nn.Sequential(seen):to 'half'
    assert.equal('torch.HalfTensor', seen.seen)
  end)

  mistakes(it, {
    { "nn.Linear(2, 2):to 'flot'", 'nn.Linear: type: typename: flot is no type of tensor here' },
    { 'nn.Linear(2, 2):to()', 'to: typename: nothing, expected the name of a type' },
    { "nn.Linear(2, 2):to 'cuda'", 'hint: there is no GPU here' },
    { "torch.ones(2):to 'flot'", 'to: dtype: flot, expected the name of a tensor type' },
    { "torch.setdefaulttensortype 'flot'", '<flot> is not a string describing a torch object' },
    { 'torch.setdefaulttensortype(torch.FloatTensor)', "hint: a type is named by a string: torch.setdefaulttensortype('float')" },
  })
end)
