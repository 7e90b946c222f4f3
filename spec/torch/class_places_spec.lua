-- Where packages find classes, and how many levels of the stack lie between their methods and the program: nngraph and torchnet count on
-- both, as Torch7 has them.
local torch = require 'torch'

describe("Lua's registry", function()
  local registry = debug.getregistry()
  local function isclass(x) return registry[x] ~= nil end

  it('has each class by its metatable and by its name', function()
    rawset(_G, 'reliedon', {})
    local Own = torch.class 'reliedon.Own'
    local metatables = { ['reliedon.Own'] = Own }
    for _, name in ipairs { 'torch.FloatTensor', 'torch.LongStorage', 'torch.Generator', 'torch.DiskFile', 'torch.File', 'torch.Timer' } do
      metatables[name] = torch.getmetatable(name)
    end
    for name, metatable in pairs(metatables) do
      assert.equal(name, registry[metatable])
      assert.equal(metatable, registry[name])
    end
    require 'nn'
    assert.equal(registry['nn.Linear'], torch.getmetatable 'nn.Linear')      -- which is read when it is asked for
  end)

  it('tells classes from plain tables', function()
    assert.is_true(isclass(getmetatable(_G.reliedon.Own())))
    for _, plain in ipairs { {}, { 1 }, _G.reliedon, torch, setmetatable({}, {}), _G.reliedon.Own() } do assert.is_false(isclass(plain)) end
    assert.is_nil(registry['no.such'])
    assert.is_nil(registry['nn.NoSuch'])
  end)
end)

describe('levels of the stack', function()
  local function lineAt(level)
    local info = debug.getinfo(level + 1, 'Sl')
    return info.short_src:match '[^/]*$' .. ':' .. info.currentline
  end
  local function here()
    local place = lineAt(2)
    return place
  end

  it('are two between __init and the line that wrote the constructor', function()
    local places = {}
    local Placed = torch.class('Placed', places)
    function Placed:__init() self.place = lineAt(4) end
    torch.class('PlacedChild', 'Placed', places)
    local x, line = places.Placed(), here()
    assert.equal(line, x.place)
    local child, childLine = places.PlacedChild(), here()
    assert.equal(childLine, child.place)
    local byMetatable, metatableLine = Placed(), here()
    assert.equal(metatableLine, byMetatable.place)
  end)

  it('are two where a program gives a class of ours its own __init', function()
    local nn = require 'nn'
    local kept = nn.Identity.__init
    nn.Identity.__init = function(self) self.place = lineAt(4) end
    local x, line = nn.Identity(), here()
    nn.Identity.__init = kept
    assert.equal(line, x.place)
  end)

  it('are one between a hook and its operator', function()
    local places = {}
    local Hooked = torch.class('Hooked', places)
    for _, hook in ipairs { '__call__', '__add__', '__unm__', '__lt__', '__concat__' } do
      Hooked[hook] = function() return lineAt(3), 'second' end
    end
    local x = places.Hooked()
    local place, line = x(1), here()
    assert.equal(line, place)
    assert.same({ line, 'second' }, { line, select(2, x()) })
    local sum, sumLine = x + 1, here()
    assert.equal(sumLine, sum)
    local minus, minusLine = -x, here()
    assert.equal(minusLine, minus)
    local joined, joinedLine = x .. 'a', here()
    assert.equal(joinedLine, joined)
  end)

  it("let nngraph find a node's line, six levels from its __init", function()
    local nn = require 'nn'
    local places = {}
    local Node = torch.class('Node', places)
    function Node:__init() self.place = lineAt(6) end
    local kept = nn.Module.__call__
    nn.Module.__call__ = function()
      local node = places.Node()
      return node
    end
    local node, line = nn.Linear(2, 3)(), here()
    nn.Module.__call__ = kept
    assert.equal(line, node.place)
  end)
end)
