--- Classes and modules that check what programs do with them, in the interface of deepmind's package classic.
-- Loading it sets the global `classic`. It shares only the name with rxi's classic (`Object:extend()`): a program that needs that one has
-- its file in its own folder.
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

--- Makes a class. Assigning a function to it defines a method, any other value an attribute, which objects show, too; functions without
-- self go into its field `static`. A class is called to make an object, which runs `_init`.
-- @function classic.class
-- @string name
-- @param[opt] parent a class, or a name, which `require` reads where it is missing; its methods are copied
-- @return the class. One that exists already takes only the methods that it has
-- @return with a parent, its methods as `super.method(self, ...)`
classic.class = class.make

--- Makes a module, which declares classes, functions and modules that `require` reads at their first use. `require` of its name returns it
-- from then on.
-- @function classic.module
-- @string name
-- @treturn table with methods class(name), moduleFunction(name), submodule(name), and iterators classes(), functions(), submodules()
classic.module = module.make

--- Prints what a module declares.
-- @function classic.list
-- @param module
classic.list = module.list

--- The events of `addCallback`: CLASS_INIT when a class has been made, MODULE_INIT when a module has.
classic.events = events.names

--- Adds a function that is called with each class or module that is made.
-- @function classic.addCallback
-- @string event one of `classic.events`
-- @tparam function f
classic.addCallback = events.add

--- Makes reads and writes of fields that an object does not have errors from now on.
-- @param object
-- @return the object
-- @raise 'Strictness violation: ..' at such a read or write
function classic.strict(object)
  if not state.ofObject(object) then error(('classic.strict: object: a %s, expected an object of a class'):format(type(object)), 2) end
  state.makeStrict(object)
  return object
end

--- Whether a value is an object of a class made here.
-- @param x anything
-- @treturn bool
function classic.isObject(x) return state.ofObject(x) ~= nil end

--- Whether a value is a class made here.
-- @param x anything
-- @treturn bool
function classic.isClass(x) return state.of(x) ~= nil end

--- Whether a value is a module made here.
-- @param x anything
-- @treturn bool
function classic.isModule(x) return module.is(x) end

--- The class of a name.
-- @string name
-- @return nil where there is none
function classic.getClass(name) return class.get(name) end

--- Forgets a class's name, so that it can be defined anew; its objects stay as they are.
-- @string name
function classic.deregisterClass(name) class.forget(name) end

--- Forgets the names of all classes.
function classic.deregisterAllClasses() class.forgetAll() end

rawset(_G, 'classic', classic)

return classic
