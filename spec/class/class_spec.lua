-- The small classes of the package class.
local class, torch = require 'class', require 'torch'

local count = 0
local function fresh()
  count = count + 1
  return 'class_spec' .. count
end

describe('class', function()
  it('sets no global', function() assert.is_nil(rawget(_G, 'class')) end)

  it('makes objects by a call or by new, which run __init', function()
    local A = class(fresh())
    function A:__init(x) self.x = x end
    function A:twice() return 2 * self.x end
    assert.equal(6, A(3):twice())
    assert.equal(8, A.new(4):twice())
  end)

  it('returns the parent, whose __init a child calls itself', function()
    local name, childName = fresh(), fresh()
    local A, none = class(name)
    assert.is_nil(none)
    function A:__init() self.ran = true end
    function A:f() return 'f' end
    local B, parent = class(childName, name)
    assert.equal(class.metatable(name), parent)
    assert.is_nil(B().ran)
    assert.equal('f', B():f())
    function B:__init() parent.__init(self) end
    assert.is_true(B().ran)
    function A:later() return 'later' end
    assert.equal('later', B():later())
  end)

  it('inherits operators', function()
    local name = fresh()
    local A = class(name)
    function A.__add() return 'sum' end
    local B = class(fresh(), name)
    assert.equal('sum', A() + A())
    assert.equal('sum', B() + B())
  end)

  it('refuses a name twice, and unknown parents', function()
    local name = fresh()
    class.new(name)
    assert.error_matches(function() class(name) end, 'class <' .. name .. '> already exists')
    assert.error_matches(function() class(fresh(), 'class_spec_none') end, 'parent class <class_spec_none> does not exist')
    assert.error_matches(function() class(3) end, 'class.new: name: a number')
  end)

  it('tells types', function()
    local name, childName = fresh(), fresh()
    local A, B = class(name), class(childName, name)
    assert.equal(childName, class.type(B()))
    assert.equal('number', class.type(3))
    assert.equal('table', class.type {})
    assert.is_true(class.istype(B(), name))
    assert.is_true(class.istype(B(), childName))
    assert.is_false(class.istype(A(), childName))
    assert.is_true(class.istype('s', 'string'))
    assert.is_false(class.istype({}, name))
    assert.is_nil(class.metatable 'class_spec_none')
  end)

  it('makes bare objects', function()
    local name = fresh()
    local A = class(name)
    function A:__init() self.ran = true end
    function A:f() return 'f' end
    local bare = class.factory(name)
    assert.is_nil(bare.ran)
    assert.equal('f', bare:f())
    assert.error_matches(function() class.factory 'class_spec_none' end, 'does not exist')
  end)

  it('teaches argcheck its types, besides those of torch', function()
    local name = fresh()
    local A, B = class(name), class(fresh(), name)
    local takes = require 'argcheck' { { name = 'x', type = name }, call = function(x) return x end }
    local a, b = A(), B()
    assert.equal(a, takes(a))
    assert.equal(b, takes(b))
    assert.is_false(pcall(takes, 3))
    local tensors = require 'argcheck' { { name = 'x', type = 'torch.*Tensor' }, call = function(x) return x:dim() end }
    assert.equal(1, tensors(torch.ones(2)))
  end)
end)
