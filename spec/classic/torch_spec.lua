-- Objects of classic's classes in files.
local torch, classic = require 'torch', require 'classic'
local state = require 'classic.state'

local function copyOf(object)
  local file = torch.MemoryFile()
  file:writeObject(object)
  file:seek(1)
  local copy = file:readObject()
  file:close()
  return copy
end

describe('classic.torch', function()
  local before, A
  setup(function()
    A = classic.class 'classic_spec.A'
    function A:_init(x) self.x = x end
    function A:f() return self.x end
    before = A(1)
    require 'classic.torch'
  end)
  teardown(function()
    state.torchObject = nil
    classic.deregisterAllClasses()
  end)

  it('makes later objects torch.Objects', function()
    assert.is_nil(torch.typename(before))
    local a = A(torch.range(1, 3))
    assert.equal('torch.Object', torch.typename(a))
    assert.equal('torch.Object', torch.type(a))
    assert.equal(A, rawget(a, '_class'))
    assert.equal(A, a:class())
    assert.is_true(classic.isObject(a))
    assert.is_true(classic.isObject(before))
    assert.equal(1, before:f())
    assert.equal(2, a:f()[2])
  end)

  it('reads its own files', function()
    local a = A { torch.range(1, 3), 'text' }
    a.other = a
    local b = copyOf(a)
    assert.equal(A, b:class())
    assert.is_true(torch.equal(torch.range(1, 3), b:f()[1]))
    assert.equal('text', b.x[2])
    assert.equal(b, b.other)
  end)

  it('leaves out what files can\'t hold, and says so', function()
    local program = require 'spec.support.program'
    local _, status, errors = program.run { '-e', [[
      local torch, classic = require 'torch', require 'classic'
      require 'classic.torch'
      local A = classic.class 'A'
      local a = A()
      a.x, a.thread = 7, coroutine.create(print)
      local file = torch.MemoryFile()
      file:writeObject(a)
      file:seek(1)
      local b = file:readObject()
      assert(b.x == 7 and b.thread == nil and a.thread)
    ]] }
    assert.equal(0, status, errors)
    assert.truthy(errors:find('Warning: A: the field thread is not written: a thread', 1, true))
  end)

  it('calls __write and __read', function()
    local B = classic.class 'classic_spec.B'
    function B:__write(file) file:writeObject(self.x * 2) end
    function B:__read(file, version) self.x, self.version = file:readObject(), version end
    local b = B()
    b.x, b.left = 21, true
    local c = copyOf(b)
    assert.equal(42, c.x)
    assert.equal(1, c.version)
    assert.is_nil(c.left)
  end)

  it('reads no object of a class that is not defined', function()
    local Gone = classic.class 'classic_spec.Gone'
    local file = torch.MemoryFile()
    file:writeObject(Gone())
    classic.deregisterClass 'classic_spec.Gone'
    file:seek(1)
    assert.error_matches(function() file:readObject() end, 'the class classic_spec.Gone is not defined')
  end)

  it('calls operators, and keeps objects strict', function()
    local V = classic.class 'classic_spec.V'
    function V:_init(x) self.x = x end
    function V.__add(a, b) return V(a.x + b.x) end
    function V.__unm(a) return V(-a.x) end
    function V.__eq(a, b) return a.x == b.x end
    function V:__call(y) return self.x + y end
    function V:__tostring() return 'V' .. self.x end
    function V:__index(key) return key .. '?' end
    assert.equal('V3', tostring(V(1) + V(2)))
    assert.equal('V-1', tostring(-V(1)))
    assert.is_true(V(1) == V(1))
    assert.is_false(V(1) == V(2))
    assert.equal(5, V(1)(4))
    assert.equal('field?', V(1).field)
    assert.error_matches(function() return V(1) * V(2) end, 'no method __mul')
    assert.is_true(A(1) ~= A(1))
    assert.equal('classic_spec.A', tostring(A(1)))
    local a = classic.strict(A(1))
    assert.error_matches(function() return a.none end, 'Strictness violation')
    assert.error_matches(function() a.none = 1 end, 'Strictness violation')
  end)
end)
