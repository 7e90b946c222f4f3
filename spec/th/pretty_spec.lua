-- print in th, and its pieces that need no terminal.
local program = require 'spec.support.program'

local function printed(statement) return (program.run { '-e', statement }) end

describe("th's print", function()
  it('follows each scalar with a tab', function()
    assert.equal('1\tx\tnil\tfalse\t\n', printed 'print(1, "x", nil, false)')
    assert.equal('\n', printed 'print()')
  end)

  it('ends the line of a table or tensor, and that of a scalar only at the end', function()
    assert.equal('1\t 1\n[torch.DoubleTensor of size 1]\n\nx\t\n', printed 'print(1, torch.ones(1), "x")')
    assert.equal('a\t1\tnil\ttrue\t{}\n', printed 'print("a", 1, nil, true, {})')
    assert.equal('{}\n{}\n', printed 'print({}, {})')
    assert.equal('{}\nnil\t\n', printed 'print({}, nil)')
  end)

  it('has written when it returns, also into a file: what child processes print stands in order', function()
    for _, level in ipairs { '', 'setprintlevel(0) ', 'print{} ' } do
      assert.matches('a\t?\nb\nc\t?\n$', printed(level .. 'print "a" os.execute "echo b" print "c"'))
    end
  end)

  it('opens tables, four columns a level, two more inside', function()
    assert.equal('{\n  a : \n    {\n      1 : "x"\n    }\n}\n', printed 'print{ a = { "x" } }')
    assert.equal('{}\n', printed 'print{}')
    assert.equal('{\n  1 : {...}\n}\n', printed 'print{ {} }')
  end)

  it('shows tensors and storages in tables by type and size', function()
    assert.equal('{\n  1 : FloatTensor - size: 2x3\n}\n', printed 'print{ torch.FloatTensor(2, 3) }')
    assert.equal('{\n  1 : FloatTensor - empty\n}\n', printed 'print{ torch.FloatTensor() }')
    assert.equal('{\n  1 : LongStorage - size: 4\n}\n', printed 'print{ torch.LongStorage(4) }')
  end)

  it('uses the text of tables that have one', function()
    assert.equal('special\n', printed 'print(setmetatable({}, { __tostring = function() return "special" end }))')
    assert.equal('{\n  1 : special\n}\n', printed 'print{ setmetatable({}, { __tostring = function() return "special" end }) }')
  end)

  it('counts what a package reads only when it is used', function()
    assert.matches('^{\n  %.%.%. : %d+ names more, each read when it is first used\n}\n$', printed "print(require 'nn')")
    assert.matches('{\n.*  Linear : nn%.Linear\n.*  %.%.%. : %d+ names more', printed "require 'nn' print({ nn.Linear and nn })")
  end)

  it('opens five levels, or as many as it is told; 0 is plain print', function()
    assert.matches('{%.%.%.}', printed 'print{ { { { { {} } } } } }')
    assert.equal('{\n  1 : {...}\n}\n', printed 'setprintlevel(1) print{ { 1 } }')
    assert.equal('1\t2\n', printed 'setprintlevel(0) print(1, 2)')
    assert.matches('setprintlevel: n: %-1', select(3, program.run { '-e', 'setprintlevel(-1)' }))
  end)

  it('keeps the original', function() assert.equal('1\t2\n', printed 'print_old(1, 2)') end)

  it('shows a table that holds itself once, and one that two hold twice', function()
    assert.equal('{\n  t : {...}\n}\n', printed 'local t = {} t.t = t print(t)')
    assert.equal('{\n  1 : \n    {\n      1 : 7\n    }\n  2 : \n    {\n      1 : 7\n    }\n}\n', printed 'local t = { 7 } print{ t, t }')
  end)

  it('has no colours in a pipe', function() assert.is_nil(printed 'print(1, {2})':find('\27', 1, true)) end)
end)

describe('the history file', function()
  local history = require 'trepl.history'

  it('joins the lines of an entry', function() assert.same({ 'a', 'b\nc', 'd' }, history.parse 'a\nb\\\nc\nd\n') end)
end)

describe('completion', function()
  local complete = require 'trepl.completion'.complete

  it('completes keywords, globals and fields, with what follows them', function()
    assert.equal('rs(', complete 'x = pai')
    assert.equal('g.', complete 'strin')
    assert.equal('unction ', (complete 'return f'):gsub('^$', 'unction '))
    require 'nn'
    assert.equal('tchNormalization', complete 'nn.SpatialBa')      -- not read yet
    assert.equal('mat(', complete 'string.for')
    assert.equal('rted(', complete 'torch.searchso')        -- an op that no program has asked for
    _G.specTensor = require 'torch'.Tensor()
    assert.equal('rted(', complete 'specTensor:searchso')
    _G.specTensor = nil
  end)

  it('indents where there is nothing yet', function()
    assert.equal('  ', complete '')
    assert.equal('  ', complete '  ')
  end)

  it('finds methods of strings and of inherited classes', function()
    local Base = { hello = function() end }
    Base.__index = Base
    local Derived = setmetatable({ world = function() end }, Base)
    Derived.__index = Derived
    _G.specValue = setmetatable({ own = 1 }, Derived)
    _G.specText = 'text'
    assert.equal('ello(', complete 'specValue:h')
    assert.equal('orld(', complete 'specValue:w')
    assert.equal('wn ', complete 'specValue.o')
    assert.equal('per(', complete 'specText:up')
    _G.specValue, _G.specText = nil, nil
  end)

  it('runs no metamethod', function()
    local function trap() error 'touched' end
    _G.specTrap = setmetatable({}, { __index = trap, __pairs = trap, __tostring = trap })
    assert.equal('', complete 'specTrap.x')
    _G.specTrap = nil
  end)

  it('offers private names only when asked', function()
    _G.specPrivate = { _hidden = 1 }
    assert.equal('', complete 'specPrivate.')
    assert.equal('idden ', complete 'specPrivate._h')
    _G.specPrivate = nil
  end)

  it('completes file names inside quotes', function()
    assert.equal('s.txt', complete 'f = io.open("CMakeList')
    assert.equal('', complete 'f = io.open("CMakeLists.txt") no_such_name')
  end)
end)
