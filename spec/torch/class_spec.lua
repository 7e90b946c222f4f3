-- The class system: naming, construction, inheritance, operator hooks and identity, with tables and with userdata.
local program = require 'spec.support.program'
local class = require 'torch.class'
local torch = require 'torch'

local zoo = {}
rawset(_G, 'zoo', zoo)

local count = 0
local function fresh(parent)
  count = count + 1
  local name = 'zoo.Animal' .. count
  local metatable, parentMetatable = class.class(name, parent)
  return name, metatable, parentMetatable, zoo['Animal' .. count]
end

describe('torch.class', function()
  it('puts a callable constructor into the package and runs __init', function()
    local name, Animal, _, new = fresh()
    function Animal:__init(sound) self.sound = sound end
    local x = new('moo')
    assert.equal('moo', x.sound)
    assert.equal('table', type(x))
    assert.equal(name, class.typename(x))
    assert.equal(name, class.type(x))
    assert.equal(Animal, getmetatable(x))
    assert.equal('baa', Animal.new('baa').sound)
  end)

  it('makes an instance by a call of the metatable, too, whatever its parent does with calls', function()
    local parentName, Parent = fresh()
    function Parent:__init(word) self.word = word end
    function Parent:__call__(word) return self.word .. word end
    local childName, Child = fresh(parentName)
    for name, metatable in pairs { [parentName] = Parent, [childName] = Child } do
      local made = metatable 'a'
      assert.equal(name, class.type(made))
      assert.equal('ab', made 'b')
    end
  end)

  it('makes the constructor a window on the class that is no instance itself', function()
    local name, Animal, _, new = fresh()
    function new:speak() return 'from constructor' end
    assert.equal(Animal, getmetatable(new))
    assert.equal(Animal.speak, new.speak)
    assert.equal(name, new.__typename)
    assert.is_nil(class.typename(new))
    assert.equal('table', class.type(new))
  end)

  it('sets the documented fields', function()
    local name, Animal = fresh()
    assert.equal(name, Animal.__typename)
    assert.equal(Animal, Animal.__metatable)
    assert.equal(1, Animal.__version)
    for _, field in ipairs { '__index', '__newindex', '__factory', '__constructor', 'new', '__add', '__call', '__tostring', '__eq' } do
      assert.is_not_nil(rawget(Animal, field), field)
    end
  end)

  it('inherits methods live, also those added after instances exist', function()
    local parentName, Parent = fresh()
    local _, Child, returnedParent, new = fresh(parentName)
    assert.equal(Parent, returnedParent)
    local x = new()
    assert.is_nil(x.speak)
    function Parent.speak() return 'parent' end
    assert.equal('parent', x:speak())
    function Child.speak() return 'child' end
    assert.equal('child', x:speak())
  end)

  it('ends the search through the parents', function()
    local parentName, Parent = fresh()
    local _, Child = fresh(parentName)
    assert.equal(Parent, getmetatable(Child))
    assert.is_false(getmetatable(Parent))
  end)

  it('accepts a module table, a nested package and a bare name', function()
    local module = {}
    class.class('anything.at.All', module)
    assert.equal('anything.at.All', class.type(module.All()))
    zoo.inner = {}
    class.class('zoo.inner.Cat')
    assert.equal('zoo.inner.Cat', class.type(zoo.inner.Cat()))
    class.class('BareAnimal')
    assert.equal('BareAnimal', class.type(rawget(_G, 'BareAnimal')()))
    rawset(_G, 'BareAnimal', nil)
  end)

  it('reports an invalid definition', function()
    local name = fresh()
    assert.error_matches(function() class.class('nowhere.X') end, 'nowhere is an invalid module name')
    assert.error_matches(function() class.class('zoo.Orphan', 'zoo.None') end, 'invalid parent class name')
    assert.error_matches(function() class.class(name) end, 'has been already assigned a factory')
    assert.error_matches(function() class.class(3) end, '<class name> %[<parent class name>%] %[<module table>%] expected')
    assert.error_matches(function() class.class('zoo.A', {}, 'x') end, 'expected')
    assert.is_nil(class.getmetatable('zoo.Orphan'))
    assert.is_nil(class.getmetatable('nowhere.X'))
  end)

  it('keeps a failed definition from blocking the name', function()
    assert.has_error(function() class.class('zoo.Later', 'zoo.None') end)
    class.class('zoo.Later')
    assert.equal('zoo.Later', class.type(zoo.Later()))
  end)
end)

describe('operator hooks', function()
  local hooks = { '__add__', '__sub__', '__mul__', '__div__', '__mod__', '__pow__', '__concat__' }
  local apply = {
    __add__ = function(a, b) return a + b end, __sub__ = function(a, b) return a - b end, __mul__ = function(a, b) return a * b end,
    __div__ = function(a, b) return a / b end, __mod__ = function(a, b) return a % b end, __pow__ = function(a, b) return a ^ b end,
    __concat__ = function(a, b) return a .. b end,
  }

  it('are found in either operand and are inherited', function()
    local parentName, Parent = fresh()
    local _, _, _, new = fresh(parentName)
    for _, hook in ipairs(hooks) do Parent[hook] = function(a, b) return { hook, a, b } end end
    local x = new()
    for _, hook in ipairs(hooks) do
      assert.same({ hook, x, 3 }, apply[hook](x, 3))
      assert.same({ hook, 3, x }, apply[hook](3, x))
    end
  end)

  it('cover comparison, call, negation and tostring', function()
    local _, Animal, _, new = fresh()
    Animal.__lt__ = function(a, b) return a.n < b.n end
    Animal.__le__ = function(a, b) return a.n <= b.n end
    Animal.__eq__ = function(a, b) return a.n == b.n end
    Animal.__unm__ = function(a) return -a.n end
    Animal.__call__ = function(a, x) return a.n + x end
    Animal.__tostring__ = function(a) return 'animal ' .. a.n end
    local a, b = new(), new()
    a.n, b.n = 1, 2
    assert.is_true(a < b)
    assert.is_true(a <= b)
    assert.is_false(a == b)
    b.n = 1
    assert.is_true(a == b)
    assert.equal(-1, -a)
    assert.equal(5, a(4))
    assert.equal('animal 1', tostring(a))
  end)

  it('missing are errors that name both classes', function()
    local name, _, _, new = fresh()
    local x = new()
    assert.error_matches(function() return x + 1 end, 'both ' .. name .. ' and number have no addition operator')
    assert.error_matches(function() return 1 - x end, 'both number and ' .. name .. ' have no substraction operator')
    assert.error_matches(function() return x < new() end, 'have no less%-than operator')
    assert.error_matches(function() return -x end, name .. ' has no negation operator')
    assert.error_matches(function() return x() end, name .. ' has no call operator')
    assert.equal(name, tostring(x))
    assert.is_false(x == new())
  end)

  it('__index__ may answer a key or leave it to the class, also when it comes late', function()
    local parentName, Parent = fresh()
    local _, Child, _, new = fresh(parentName)
    local x = new()
    x.raw = 'raw'
    function Child.method() return 'method' end
    function Parent:__index__(key)
      if key == 'answer' then return 42, true end
      if key == 'nothing' then return nil, true end
      return 'ignored', false
    end
    assert.equal(42, x.answer)
    assert.equal('raw', x.raw)
    assert.equal('method', x.method())
    Child.nothing = 'class'
    assert.is_nil(x.nothing)
    assert.is_nil(x.missing)
    assert.equal('class', Child.nothing)
    assert.is_nil(Child.answer)
    local name = class.type(x)
    local _, _, _, newGrandchild = fresh(name)
    assert.equal(42, newGrandchild().answer)
  end)

  it('__newindex__ may take an assignment', function()
    local _, Animal, _, new = fresh()
    local taken = {}
    function Animal.__newindex__(_, key, value)
      if key == 'taken' then taken[key] = value return true end
      return false
    end
    local x = new()
    x.taken, x.kept = 1, 2
    assert.equal(1, taken.taken)
    assert.is_nil(rawget(x, 'taken'))
    assert.equal(2, rawget(x, 'kept'))
  end)
end)

describe('looking classes up', function()
  it('typename gives nothing for plain values and refuses no argument', function()
    assert.equal(0, select('#', class.typename({})))
    assert.equal(0, select('#', class.typename(nil)))
    assert.equal('nil', class.type(nil))
    assert.equal('string', class.type('zoo.X'))
    assert.has_error(function() class.typename() end)
  end)

  it('isTypeOf takes whole names, patterns and constructors, and asks the ancestors', function()
    local parentName, _, _, parentNew = fresh()
    local childName, _, _, new = fresh(parentName)
    local _, _, _, other = fresh()
    local x = new()
    assert.is_true(class.isTypeOf(x, childName))
    assert.is_true(class.isTypeOf(x, parentName))
    assert.is_true(class.isTypeOf(x, parentNew))
    assert.is_false(class.isTypeOf(x, other))
    assert.is_false(class.isTypeOf(x, 'zoo'))
    assert.is_true(class.isTypeOf(x, 'zoo%.'))
    assert.is_true(class.isTypeOf(x, 'Animal%d+$'))
    assert.is_false(class.isTypeOf({}, 'table'))
    assert.is_false(class.isTypeOf(nil, parentName))
  end)

  it('factory, getmetatable and getconstructortable know classes by name', function()
    local name, Animal, _, new = fresh()
    function Animal:__init() self.initialised = true end
    local x = class.factory(name)()
    assert.equal(name, class.type(x))
    assert.is_nil(x.initialised)
    assert.equal(Animal, class.getmetatable(name))
    assert.equal(new, class.getconstructortable(name))
    assert.is_nil(class.factory('zoo.None'))
    assert.is_nil(class.getmetatable('zoo.None'))
    assert.is_nil(class.getconstructortable('zoo.None'))
  end)

  it('setmetatable turns a table into an instance', function()
    local name = fresh()
    local x = {}
    assert.equal(x, class.setmetatable(x, name))
    assert.equal(name, class.type(x))
    assert.error_matches(function() class.setmetatable({}, 'zoo.None') end, 'unknown typename')
  end)

  it('version follows the class', function()
    local name, Animal = fresh()
    local _, _, _, new = fresh(name)
    assert.equal(1, class.version(new()))
    assert.is_nil(class.version({}))
    rawset(class.getmetatable(class.type(new())), '__version', 3)
    assert.equal(3, class.version(new()))
    assert.equal(1, Animal.__version)
  end)

  it('newmetatable: the first registration decides, and no constructor means abstract', function()
    local metatable = class.newmetatable('zoo.Abstract')
    assert.equal(metatable, class.newmetatable('zoo.Abstract', nil, function() return 1 end))
    assert.error_matches(function() zoo.Abstract() end, 'no constructor available')
  end)

  it('metatype names foreign tables and FFI types', function()
    local ffi = require 'ffi'
    local foreign = {}
    class.metatype('zoo.Foreign', foreign)
    assert.equal('zoo.Foreign', class.type(setmetatable({}, foreign)))
    local ctype = ffi.typeof 'struct { int zooField; }'
    class.metatype('zoo.Struct', {}, ctype)
    assert.equal('zoo.Struct', class.type(ctype()))
    assert.equal('cdata', class.type(ffi.new 'int[2]'))
  end)
end)

describe('userdata classes', function()
  local function register(name)
    local metatable = {}
    local function new(...)
      local x = newproxy(true)
      debug.setmetatable(x, metatable)
      debug.setfenv(x, { ... })
      return x
    end
    class.register(name, metatable, new)
    return metatable
  end

  it('have names, live methods, hooks and a constructor', function()
    local metatable = register('zoo.Native')
    local x = zoo.Native(7)
    assert.equal('userdata', type(x))
    assert.equal('zoo.Native', class.typename(x))
    function zoo.Native:first() return torch.getenv(self)[1] end
    assert.equal(7, x:first())
    function metatable.__add__(a, b) return a:first() + b end
    assert.equal(9, x + 2)
    assert.equal('zoo.Native', tostring(x))
    assert.error_matches(function() x.field = 1 end, 'the class zoo.Native cannot be indexed')
    assert.equal('zoo.Native', class.type(class.factory('zoo.Native')()))
  end)

  it('compare by their underlying object', function()
    local metatable = register('zoo.Handle')
    function metatable:__pointer__() return torch.getenv(self)[1] end
    local a, b, c = zoo.Handle(1), zoo.Handle(1), zoo.Handle(2)
    assert.is_true(a == b)
    assert.is_false(a == c)
    assert.is_true(class.isequal(a, b))
    assert.equal(class.pointer(a), class.pointer(b))
  end)

  it('keep the metamethods they bring', function()
    local metatable = { __index = function() return 'own' end }
    class.register('zoo.Own', metatable, function()
      local x = newproxy(true)
      debug.setmetatable(x, metatable)
      return x
    end)
    assert.equal('own', zoo.Own().anything)
  end)

  it('are tensors and storages by name', function()
    register('zoo.Ape')
    assert.is_false(class.isTensor(zoo.Ape()))
    assert.is_false(class.isTensor())
    assert.is_false(class.isStorage('torch.FloatStorage'))
  end)

  -- Each in a separate process, in which these types have not been used.
  local first = {
    ['by its constructor'] = 'print(torch.IntTensor(2):type(), torch.typename(torch.IntStorage(1)))',
    ['by a conversion'] = 'print(torch.zeros(2):int():type(), torch.typename(torch.zeros(2):type "torch.IntTensor":storage()))',
    ['by its name'] = 'print(torch.factory "torch.IntTensor"():type(), torch.getmetatable("torch.IntStorage").__typename)',
    ['as the default type'] = [[torch.setdefaulttensortype "torch.IntTensor"
                               print(torch.Tensor(2):type(), torch.typename(torch.Storage()))]],
    ['in a file'] = [[local text = "4\n1\n3\nV 1\n15\ntorch.IntTensor\n1\n2\n1\n1\n4\n2\n3\nV 1\n16\ntorch.IntStorage\n2\n7 8\n"
                      local x = torch.deserialize(text, "ascii")
                      print(x:type(), torch.typename(x:storage()))]],
    ['in a finaliser'] = [[for _ = 1, 200 do
                             getmetatable(newproxy(true)).__gc = function() x = torch.IntTensor(2) for _ in pairs { 1, 2 } do end end
                           end
                           collectgarbage()
                           print(x:type(), torch.typename(x:storage()))]],
  }
  for where, code in pairs(first) do
    it('are there when a type is first met ' .. where, function()
      local output, status = program.run { '-e', code }
      assert.equal('torch.IntTensor\ttorch.IntStorage\t\n', output)
      assert.equal(0, status)
    end)
  end
end)

describe('torch.pointer', function()
  it('tells objects apart and refuses nil', function()
    local t = {}
    assert.equal(class.pointer(t), class.pointer(t))
    assert.not_equal(class.pointer(t), class.pointer({}))
    assert.equal('number', type(class.pointer(print)))
    assert.equal('number', type(class.pointer('text')))
    assert.error_matches(function() class.pointer(nil) end, 'Torch object, table, thread, cdata or function expected')
  end)
end)
