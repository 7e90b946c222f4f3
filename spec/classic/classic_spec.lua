-- deepmind's classic: classes, modules, and errors.
local classic = require 'classic'

describe('classic.class', function()
  after_each(function() classic.deregisterAllClasses() end)

  it('is also the global', function() assert.equal(classic, rawget(_G, 'classic')) end)

  it('makes objects by a call and by instantiate, which run _init', function()
    local Point = classic.class 'Point'
    function Point:_init(x, y) self.x, self.y = x, y end
    function Point:sum() return self.x + self.y end
    assert.equal(5, Point(2, 3):sum())
    assert.equal(9, Point:instantiate(4, 5):sum())
    assert.equal(Point, Point(1, 2):class())
    assert.is_true(Point(1, 2):classIs(Point))
    assert.equal('classic.class<Point>', tostring(Point))
    assert.equal('Point', Point:name())
    assert.is_nil(Point:parent())
    assert.is_nil(Point:super())
  end)

  it('gives methods that come later to objects that exist, but not to subclasses', function()
    local A = classic.class 'A'
    local B = classic.class('B', A)
    local a, b = A(), B()
    function A:late() return 'late' end
    assert.equal('late', a:late())
    assert.is_nil(b.late)
  end)

  it('returns the parent\'s methods, as they are at the call', function()
    local A = classic.class 'A'
    function A:_init(n) self.n = n end
    function A:value() return self.n end
    local B, super = classic.class('B', 'A')
    function B:_init(n) super._init(self, 10 * n) end
    function B:value() return super.value(self) + 1 end
    assert.equal(21, B(2):value())
    function A:value() return -self.n end
    assert.equal(-19, B(2):value())
    assert.equal(super, B:super())
    assert.equal(A, B:parent())
    assert.error_matches(function() super:value() end, 'Misuse of Super object!')
    assert.error_matches(function() return super.none end, 'B?.*no method none')
  end)

  it('reads a parent of an unknown name by require', function()
    package.preload['classic_spec.Base'] = function()
      local Base = classic.class 'classic_spec.Base'
      function Base:who() return 'base' end
      return Base
    end
    local Child = classic.class('Child', 'classic_spec.Base')
    assert.equal('base', Child():who())
    assert.is_false(pcall(classic.class, 'Orphan', 'classic_spec.none'))
    package.preload['classic_spec.Base'], package.loaded['classic_spec.Base'] = nil, nil
  end)

  it('tells exact classes from subclasses', function()
    local A = classic.class 'A'
    local B = classic.class('B', A)
    assert.is_true(B:isClassOf(B()))
    assert.is_false(A:isClassOf(B()))
    assert.is_false(B():classIs(A))
    assert.is_false(A:isClassOf(3))
    assert.is_true(B:isSubclassOf(A))
    assert.is_true(B:isSubclassOf(B))
    assert.is_true(B:isSubclassOf 'A')
    assert.is_false(A:isSubclassOf(B))
  end)

  it('refuses constructors of other systems', function()
    local A = classic.class 'A'
    assert.error_matches(function() function A:init() end end, 'did you mean _init%?')
    assert.error_matches(function() function A:__init() end end, 'did you mean _init%?')
  end)

  it('accepts a second definition with the same methods', function()
    local function define(value)
      local A, super = classic.class 'Twice'
      local body = value == 1 and function() return 1 end or function() return 2 end
      A.f = body
      return A, super
    end
    local first, second = define(1), define(1)
    assert.equal(1, second():f())
    assert.is_true(second():classIs(first))
    assert.is_true(first():classIs(second))
    assert.error_matches(function() define(2) end, 'You are defining a version of class Twice which conflicts')
    local Base = classic.class 'Base'
    local _, super = classic.class('Derived', Base)
    assert.truthy(super)
    assert.is_nil(select(2, classic.class('Derived', Base)))
    assert.error_matches(function() classic.class 'Derived' end, 'conflicts')
  end)

  it('lists methods', function()
    local A = classic.class 'A'
    function A:one() end
    function A:_two() end
    local seen = {}
    for name, method in A:methods() do seen[name] = type(method) end
    assert.same({ one = 'function' }, seen)
    seen = {}
    for name in pairs(A:allMethods()) do seen[name] = true end
    assert.same({ one = true, _two = true }, seen)
  end)

  it('has a hash of names and code', function()
    local function make(name, body)
      local A = classic.class(name)
      A.f = body
      local hash = A:hash()
      classic.deregisterClass(name)
      return hash
    end
    local one, same = make('A', function() return 1 end), make('A', function() return 1 end)
    assert.equal(one, same)
    assert.not_equal(one, make('A', function() return 2 end))
    assert.not_equal(one, make('B', function() return 1 end))
  end)

  it('makes no objects while a method is missing', function()
    local A = classic.class 'A'
    A:mustHave 'draw'
    assert.is_true(A:abstract())
    assert.error_matches(function() A() end, 'A: objects need the methods draw')
    local B = classic.class('B', A)
    assert.error_matches(function() B() end, 'draw')
    function B:draw() return 'drawn' end
    assert.is_false(B:abstract())
    assert.equal('drawn', B():draw())
  end)

  it('keeps final methods', function()
    local A = classic.class 'A'
    function A:f() return 1 end
    A:final 'f'
    assert.is_true(A:methodIsFinal 'f')
    assert.is_false(A:methodIsFinal 'g')
    assert.error_matches(function() function A:f() end end, 'the method f is final')
    local B = classic.class('B', A)
    assert.error_matches(function() function B:f() end end, 'the method f is final')
    assert.equal(1, B():f())
    assert.error_matches(function() A:final 'none' end, 'no method none')
  end)

  it('includes another class\'s methods unless both have one', function()
    local Loud = classic.class 'Loud'
    function Loud:shout() return self.word:upper() end
    local A = classic.class 'A'
    function A:_init() self.word = 'hey' end
    A:include(Loud)
    assert.equal('HEY', A():shout())
    local B = classic.class 'B'
    function B:shout() end
    function B:other() end
    assert.error_matches(function() B:include 'Loud' end, 'the method shout is in Loud, too')
  end)

  it('has attributes and functions without self', function()
    local A = classic.class 'A'
    A.size = 3
    function A.static.double(x) return 2 * x end
    assert.equal(3, A.size)
    assert.equal(8, A.double(4))
    assert.equal(8, A.static.double(4))
    assert.equal(3, A().size)
    local B = classic.class('B', A)
    A.later = 1
    assert.equal(3, B.size)
    assert.error_matches(function() return B.later end, 'B: no attribute later')
    function A:method() end
    assert.error_matches(function() return A.method end, 'method is a method of its objects')
    assert.error_matches(function() A.method = 3 end, 'A naming conflict in A')
    assert.error_matches(function() function A:size() end end, 'A naming conflict in A')
    assert.error_matches(function() A.name = 'x' end, 'A naming conflict in A')
    assert.error_matches(function() A.static.x = 3 end, 'expected a function')
  end)

  it('calls operators', function()
    local V = classic.class 'V'
    function V:_init(x) self.x = x end
    function V.__add(a, b) return V(a.x + b.x) end
    function V.__sub(a, b) return V(a.x - b.x) end
    function V.__mul(a, b) return V(a.x * b.x) end
    function V.__div(a, b) return V(a.x / b.x) end
    function V.__pow(a, b) return V(a.x ^ b.x) end
    function V.__unm(a) return V(-a.x) end
    function V.__concat(a, b) return V(a.x .. b.x) end
    function V.__eq(a, b) return a.x == b.x end
    function V:__call(y) return self.x + y end
    function V:__tostring() return 'V' .. self.x end
    local W = classic.class('W', V)
    for _, C in ipairs { V, W } do
      local a, b = C(6), C(3)
      assert.equal('V9', tostring(a + b))
      assert.equal('V3', tostring(a - b))
      assert.equal('V18', tostring(a * b))
      assert.equal('V2', tostring(a / b))
      assert.equal('V216', tostring(a ^ b))
      assert.equal('V-6', tostring(-a))
      assert.equal('V63', tostring(a .. b))
      assert.equal(10, a(4))
      assert.is_true(a == C(6))
      assert.is_false(a == b)
    end
  end)

  it('asks __index after methods, and __newindex for new fields', function()
    local D = classic.class 'D'
    D.attribute = 'an attribute'
    function D:method() return 'a method' end
    function D:__index(key) return 'asked for ' .. key end
    function D:__newindex(key, value) rawset(self, key, value .. '!') end
    local d = D()
    assert.equal('a method', d:method())
    assert.equal('an attribute', d.attribute)
    assert.equal('asked for z', d.z)
    d.z = 'set'
    assert.equal('set!', d.z)
  end)
end)

describe('classic.strict', function()
  after_each(function() classic.deregisterAllClasses() end)

  it('refuses unknown fields', function()
    local A = classic.class 'A'
    A.attribute = 1
    function A:_init()
      self.x = 1
      classic.strict(self)
    end
    function A:f() return self.x end
    local a, other = A(), nil
    assert.equal(1, a:f())
    a.x = 2
    assert.equal(2, a:f())
    assert.equal(1, a.attribute)
    assert.equal(A, a:class())
    assert.error_matches(function() other = a.y end, 'Strictness violation: .*y')
    assert.error_matches(function() a.y = 1 end, 'Strictness violation: .*y')
    assert.is_nil(other)
    assert.error_matches(function() classic.strict {} end, 'classic.strict: object: a table')
  end)
end)

describe('the registry of classes', function()
  it('finds, forgets and tells of classes', function()
    local made = {}
    classic.addCallback(classic.events.CLASS_INIT, function(class) made[#made + 1] = class:name() end)
    local A = classic.class 'Known'
    assert.equal('Known', made[#made])
    assert.equal(A, classic.getClass 'Known')
    assert.is_true(classic.isClass(A))
    assert.is_false(classic.isClass {})
    assert.is_true(classic.isObject(A()))
    assert.is_false(classic.isObject(A))
    assert.is_false(classic.isObject {})
    classic.deregisterClass 'Known'
    assert.is_nil(classic.getClass 'Known')
    assert.not_equal(A, classic.class 'Known')
    classic.deregisterAllClasses()
    assert.is_nil(classic.getClass 'Known')
    assert.error_matches(function() classic.addCallback('none', print) end, 'event: none')
  end)
end)

describe('classic.module', function()
  it('reads what it declares at first use', function()
    local read = {}
    package.preload['classic_spec.m.Thing'] = function()
      read[#read + 1] = 'Thing'
      return classic.class 'classic_spec.m.Thing'
    end
    package.preload['classic_spec.m.double'] = function() return function(x) return 2 * x end end
    package.preload['classic_spec.m.sub'] = function() return classic.module 'classic_spec.m.sub' end
    local m = classic.module 'classic_spec.m'
    assert.equal(m, require 'classic_spec.m')
    m:class 'Thing'
    m:moduleFunction 'double'
    m:submodule 'sub'
    assert.same({}, read)
    assert.equal('classic_spec.m.Thing', m.Thing:name())
    assert.equal(m.Thing, m.Thing)
    assert.same({ 'Thing' }, read)
    assert.equal(10, m.double(5))
    assert.is_true(classic.isModule(m.sub))
    assert.is_false(classic.isModule {})
    local found = {}
    for name, class in m:classes() do found[name] = class end
    for name, f in m:functions() do found[name] = f end
    for name, sub in m:submodules() do found[name] = sub end
    assert.same({ Thing = m.Thing, double = m.double, sub = m.sub }, found)
    assert.error_matches(function() return m.none end, 'classic_spec.m: no class, function or module none')
    classic.deregisterAllClasses()
    for _, name in ipairs { '', '.Thing', '.double', '.sub' } do
      package.preload['classic_spec.m' .. name], package.loaded['classic_spec.m' .. name] = nil, nil
    end
  end)
end)
