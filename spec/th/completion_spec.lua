-- Completion behind calls and indices, of variables, and inside quotes.
local torch, nn = require 'torch', require 'nn'
local complete = require 'trepl.completion'.complete
local locals = require 'trepl.locals'

-- Names that a line may go on with: asked twice, as a second TAB does.
local function candidates(line)
  complete(line)
  local _, names = complete(line)
  local set = {}
  for _, name in ipairs(names or {}) do set[name] = true end
  return set
end

describe('completion', function()
  setup(function()
    _G.nn, _G.specNet = nn, nn.Sequential():add(nn.Linear(2, 3)):add(nn.Tanh())
    _G.specX, _G.specList = torch.randn(3, 4), { { name = 1 }, inner = { value = 2 }, first = 1 }
  end)
  teardown(function() _G.specNet, _G.specX, _G.specList = nil, nil, nil end)

  it('knows the fields of what a container holds', function()
    assert.equal('ight:', complete 'specNet:get(1).we')
    assert.equal('ight:', complete 'print(specNet:get( 1 ).we')
    assert.equal('ight:', complete 'specNet.modules[1].we')
    assert.equal('ight:', complete 'specNet:get(specList.first).we')
    assert.is_true(candidates 'specNet:get(2):update'.updateOutput)
  end)

  it('knows entries of tables', function()
    assert.equal('me ', complete 'specList[1].na')
    assert.equal('lue ', complete 'specList["inner"].va')
    assert.equal('lue ', complete 'specList.inner.va')
    assert.equal('', complete 'specList[7].na')
  end)

  it('knows the methods of tensors that methods and ops give', function()
    for _, line in ipairs {
      'specX:select(1, 2):nEle', 'specX[1]:nEle', 'specX:clone():nEle', 'torch.randn(3):nEle', 'torch.FloatTensor(3):nEle',
      'specX:t():float():nEle', 'specNet:get(1).weight:t():nEle', '(specX):nEle', 'specNet:forward(specX):nEle',
      'torch.randn(2, 3):t():nEle',
    } do
      assert.equal('ment(', complete(line), line)
    end
  end)

  it('knows what constructors make, and methods that return their owner', function()
    assert.is_true(candidates 'nn.Linear(2, 3):re'.reset)
    assert.is_true(candidates 'specNet:add(nn.Tanh()):'.get)
    assert.equal(2, #_G.specNet.modules)
  end)

  it('goes on from a package that is required', function() assert.is_true(candidates 'require "nn".L'.Linear) end)

  it("runs no program's code", function()
    local function trap() error 'touched' end
    local Trap = torch.class('specCompletionTrap', 'nn.Sequential')
    Trap.get, Trap.size = trap, trap
    local calls = 0
    _G.specTrap = Trap()
    _G.specCall = setmetatable({}, { __call = function() calls = calls + 1 end, __index = trap })
    _G.specFunction = function() calls = calls + 1 return { field = 1 } end
    assert.equal('', complete 'specTrap:get(1).we')
    assert.equal('', complete 'specCall(1).we')
    assert.equal('', complete 'specCall[1].we')
    assert.equal('', complete 'specFunction().fie')
    assert.equal('', complete 'specX:fill(7).noSuch')
    assert.not_equal(7, _G.specX[1][1])
    assert.equal(0, calls)
    _G.specTrap, _G.specCall, _G.specFunction = nil, nil, nil
  end)

  it('knows local variables of the loop', function()
    local chunk, _, declared = locals.compile 'local specLocal = { inside = 1 }'
    locals.keep(declared, chunk())
    assert.equal('cal.', complete 'specLo')
    assert.equal('side ', complete 'specLocal.in')
  end)

  it('names packages behind require, and their parts', function()
    assert.equal('m', complete "require 'opti")
    assert.equal('m', complete 'require("opti')
    assert.is_true(candidates "require 'trepl.c".completion)
    assert.equal('s.txt', complete "require 'nn' io.open 'CMakeList")
  end)

  it('takes no quote in a comment for one', function() assert.equal('rt(', complete "x = math.floor(2) --[[ it's ]] + math.sq") end)

  it('survives lines of any kind', function()
    for _, line in ipairs { '.', ':', '..', 'x..', '::', ')', ']', '}', '(', 'a[', 'a[1', ').x', '].x', '}.x', '"a".', '"a":', 'f{}.', '[[',
      '--', '-- x', '1.', '1e', 'a.b.', 'end.', 'a()().b', 'a[b[c]].d', '\\', '"\\', "'" } do
      assert.is_string(complete(line), line)
    end
  end)
end)
