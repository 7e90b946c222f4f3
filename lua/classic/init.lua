--- Classes and modules that check their use, in the interface of deepmind's package classic.
-- Loading it sets the global `classic`. It shares only the name with rxi's classic (`Object:extend()`): a program that needs that package
-- must include its file.
-- @module classic
-- @usage local classic = require 'classic'
-- local Animal = classic.class 'Animal'
-- function Animal:_init(name) self.name = name end
-- function Animal:speak() return self.name .. ' speaks' end
-- local Cat, super = classic.class('Cat', 'Animal')
-- function Cat:speak() return super.speak(self) .. ': miaow' end
-- print(Cat('Tom'):speak())       --> Tom speaks: miaow
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local class, module, events, state = require 'classic.class', require 'classic.module', require 'classic.events', require 'classic.state'

local classic = {}

--- Creates a class. Assigning a function to it defines a method, any other value an attribute, which objects inherit; functions without
-- self go into its field `static`. Calling a class creates an object and runs `_init`.
-- @function classic.class
-- @string name
-- @param[opt] parent a class or its name, which is loaded by `require` if it is missing; its methods are copied
-- @return the class. If it exists already, only its existing methods can be redefined
-- @return with a parent, its methods as `super.method(self, ...)`
classic.class = class.make

--- Creates a module, which declares classes, functions and modules that `require` loads at their first use. From then on `require` of its
-- name returns it.
-- @function classic.module
-- @string name
-- @treturn table with methods class(name), moduleFunction(name), submodule(name), and iterators classes(), functions(), submodules()
classic.module = module.make

--- Prints what a module declares.
-- @function classic.list
-- @param module
classic.list = module.list

--- The events of `addCallback`: CLASS_INIT after a class is created, MODULE_INIT after a module is created.
classic.events = events.names

--- Adds a function that is called with each new class or module.
-- @function classic.addCallback
-- @string event one of `classic.events`
-- @tparam function f
classic.addCallback = events.add

--- From now on, reads and writes of fields that an object does not have are errors.
-- @param object
-- @return the object
-- @raise 'Strictness violation: ..' at such a read or write
function classic.strict(object)
  if not state.ofObject(object) then error(('classic.strict: object: a %s, expected an object of a class'):format(type(object)), 2) end
  state.makeStrict(object)
  return object
end

--- Whether a value is an object of a class of this package.
-- @param x anything
-- @treturn bool
function classic.isObject(x) return state.ofObject(x) ~= nil end

--- Whether a value is a class of this package.
-- @param x anything
-- @treturn bool
function classic.isClass(x) return state.of(x) ~= nil end

--- Whether a value is a module of this package.
-- @param x anything
-- @treturn bool
function classic.isModule(x) return module.is(x) end

--- Returns the class with a name.
-- @string name
-- @return the class, or nil if it does not exist
function classic.getClass(name) return class.get(name) end

--- Removes a class's name, so that it can be defined again; its objects do not change.
-- @string name
function classic.deregisterClass(name) class.forget(name) end

--- Removes the names of all classes.
function classic.deregisterAllClasses() class.forgetAll() end

rawset(_G, 'classic', classic)

return classic
