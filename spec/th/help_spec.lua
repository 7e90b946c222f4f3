-- The documentation that `? name` shows.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local help = require 'trepl.help'

local function functionsOf(owner)
  local names = {}
  for name, value in pairs(owner) do
    if type(name) == 'string' and type(value) == 'function' and not name:find '^_' then names[#names + 1] = name end
  end
  return names
end

describe('help', function()
  setup(function()
    _G.nn, _G.optim, _G.autograd, _G.tds, _G.paths, _G.sys, _G.xlua =
      nn, optim, require 'autograd', require 'tds', require 'paths', require 'sys', require 'xlua'
    _G.specTensor, _G.specStorage, _G.specFile = torch.Tensor(2), torch.LongStorage(2), torch.MemoryFile()
  end)
  teardown(function() _G.specTensor, _G.specStorage, _G.specFile = nil, nil, nil end)

  local owners = {
    ['torch.'] = torch, ['optim.'] = optim, ['specTensor:'] = torch.getmetatable 'torch.DoubleTensor',
    ['specStorage:'] = torch.getmetatable 'torch.LongStorage', ['nn.Module.'] = getmetatable(nn.Module),
    ['nn.Container.'] = getmetatable(nn.Container), ['optim.ConfusionMatrix.'] = getmetatable(optim.ConfusionMatrix),
    ['optim.Logger.'] = getmetatable(optim.Logger), ['torch.Tester.'] = torch.getmetatable(torch.typename(torch.Tester())),
    ['torch.CmdLine.'] = torch.getmetatable(torch.typename(torch.CmdLine())), ['torch.Timer.'] = torch.getmetatable 'torch.Timer',
  }
  for _, path in ipairs { 'nn.functional', 'nn.init', 'nn.utils', 'torch.npy', 'torch.npz', 'torch.csv', 'torch.safetensors' } do
    local package_, field = path:match '^(%w+)%.(%w+)$'
    owners[path .. '.'] = require(package_)[field]
  end
  for _, name in ipairs { 'autograd', 'tds', 'paths', 'sys', 'xlua' } do owners[name .. '.'] = require(name) end

  for prefix, owner in pairs(owners) do
    it('knows every function of ' .. prefix, function()
      for _, name in ipairs(functionsOf(owner)) do assert.is_string(help.of(prefix .. name), 'no documentation of ' .. prefix .. name) end
    end)
  end

  it('knows the methods of files', function()
    torch.MemoryFile():close()
    for _, name in ipairs(functionsOf(torch.getmetatable 'torch.MemoryFile')) do
      assert.is_string(help.of('specFile:' .. name), 'no documentation of ' .. name)
    end
  end)

  it('opens with what a class is for, whoever wrote its constructor', function()
    assert.matches('^nn%.Sequential\nModules in a row', help.of 'nn.Sequential')
    assert.matches('^nn%.CAddTable\nThe sum of the tensors in a table', help.of 'nn.CAddTable')
    assert.matches('^nn%.Linear\nAffine map.*function Linear:__init%(inputSize.*\nmethods: .*updateOutput', help.of 'nn.Linear')
    assert.matches('^torch%.DoubleTensor\ntorch%.Tensor%(.*\nmethods: abs ', help.of 'torch.DoubleTensor')
  end)

  it('of a variable is that of its class', function()
    assert.equal(help.of 'torch.LongStorage', help.of 'specStorage')
    assert.equal(help.of 'torch.DoubleTensor', help.of 'specTensor')
  end)

  it('finds the comment of a function that another one makes', function()
    assert.matches('\n%(input %- target%)%^2%.\n', help.of 'nn.functional.mseLoss')
    assert.matches('^RMSprop: steps in proportion', help.of 'optim.rmsprop')
  end)

  it('does not describe what is not there', function()
    assert.is_nil(help.of 'no_such_thing')
    assert.is_nil(help.of 'torch.no_such_thing')
    assert.is_nil(help.of 'string.rep')
    assert.is_nil(help.of '1 +')
  end)
end)
