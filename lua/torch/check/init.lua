--- Checks of arguments for Lua code; each returns the value, or raises an error at the line where the program called the library.
-- A message reads `where: argument: actual, expected ...`. Related modules: checks for composed ops (torch.check.expect), values in
-- messages (torch.check.message), and Lua's own errors inside the library (torch.check.guard, torch.check.accident). nn adds information
-- about modules (nn.support.explain).
-- @module torch.check
local class, guard, messages = require 'torch.class', require 'torch.check.guard', require 'torch.check.message'
local note = require('torch.check.refuse').note
local isTensor = require('libmoontorch').isTensor

local check = {}

--- Returns a value in words, as messages show it: a number, a string, `a table`.
-- @param value
-- @treturn string
function check.describe(value)
  if type(value) == 'string' then return ("'%s'"):format(value) end
  if type(value) == 'number' or type(value) == 'boolean' or messages.isComplex(value) then return tostring(value) end
  return messages.kind(value)
end

--- Returns whether a function belongs to a program that uses this library.
function check.isPrograms(fn)
  local info = debug.getinfo(fn, 'S')
  return info.what ~= 'C' and guard.isInstalled and not guard.isOurSource(info.source)
end

-- Returns the level, for an error in the calling function, of the first call from a file outside the library: constructors call each other.
local function programsLevel()
  for level = 3, math.huge do
    local info = debug.getinfo(level, 'S')
    if not info or info.what ~= 'C' and not guard.isOurSource(info.source) then return level - 1 end
  end
end

--- Raises an error at the line where the program called the library.
-- @string message
-- @string[opt] kind of the error, see torch.check.refuse
function check.raise(message, kind)
  note(kind, message)
  error(message, programsLevel())
end

local function orRaise(done, message, ...)
  if done then return message, ... end
  local text = type(message) == 'string' and require('torch.check.accident').withoutPlace(message)
  if text then check.raise(text) end
  error(message, 0)
end

--- Calls a library function that checks its arguments; its errors are raised at the line where the program called the library.
-- @tparam function f must not call functions of a program
-- @param ... its arguments
-- @return its results
function check.call(f, ...) return orRaise(pcall(f, ...)) end

--- Checks a condition; raises an error with the message if it is false.
-- @param condition returned if it is true
-- @string message
-- @string[opt] kind of the error, see torch.check.refuse
function check.that(condition, message, kind)
  if not condition then check.raise(message, kind) end
  return condition
end

local function fail(where, name, value, expected, kind)
  local message = ('%s: %s: %s, expected %s'):format(where, name, check.describe(value), expected)
  note(kind or 'invalid', message)
  error(message, programsLevel())
end

-- Returns the kind of an error about a value: out of range, if it is a number.
local function kindOf(value) return type(value) == 'number' and 'range' or 'invalid' end

local function range(options)
  if options.min and options.max then return (' from %s to %s'):format(options.min, options.max) end
  if options.min then return (', %s or more'):format(options.min) end
  if options.max then return (', %s or less'):format(options.max) end
  return ''
end

local function inRange(value, options)
  return value == value and (not options.min or value >= options.min) and (not options.max or value <= options.max)
end

local anything = {}       -- no bounds

--- Checks that a value is a number; `options.min` and `options.max` are its bounds.
function check.number(where, name, value, options)
  options = options or anything
  if type(value) ~= 'number' or not inRange(value, options) then fail(where, name, value, 'a number' .. range(options), kindOf(value)) end
  return value
end

--- Checks that a value is a string; a number is accepted as its text, as everywhere in Lua.
function check.text(where, name, value)
  if type(value) ~= 'string' and type(value) ~= 'number' then fail(where, name, value, 'a string') end
  return tostring(value)
end

--- Checks that a value is a string without zero bytes, which would end it for the system: a file's name, a command.
function check.name(where, name, value)
  value = check.text(where, name, value)
  check.that(not value:find '%z', ('%s: %s: a string with a zero byte, expected one without'):format(where, name))
  return value
end

--- Checks that a value is a table.
function check.table(where, name, value)
  if type(value) ~= 'table' then fail(where, name, value, 'a table') end
  return value
end

--- Checks that a value is an integer; `options.min` and `options.max` are its bounds.
function check.int(where, name, value, options)
  if type(value) ~= 'number' or value % 1 ~= 0 or not inRange(value, options or anything) then
    fail(where, name, value, 'a whole number' .. range(options or anything), kindOf(value))
  end
  return value
end

--- Checks an integer by Torch7's rule: a fraction is truncated toward zero with a warning, or refused in the strict mode. `options.min` and
-- `options.max` are the bounds of the result. Functions that Torch7 lacks use `check.int`, which refuses fractions.
-- @return the integer
function check.whole(where, name, value, options)
  local number = type(value) == 'number' and (value % 1 == 0 and value or require('torch.check.whole').of(where, name, value))
  if not number or not inRange(number, options or anything) then
    fail(where, name, value, 'a whole number' .. range(options or anything), kindOf(value))
  end
  return number
end

--- Checks sizes that are passed as numbers (possibly none), or as one storage or list.
-- @treturn torch.LongStorage|table the storage itself, or a list
function check.sizes(where, ...)
  local first = ...
  if type(first) == 'table' or class.type(first) == 'torch.LongStorage' then return first end
  local sizes = {}
  for i = 1, select('#', ...) do
    local size = select(i, ...)
    if type(size) ~= 'number' then fail(where, 'sizes', size, 'numbers or a LongStorage') end
    sizes[i] = check.whole(where, 'sizes', size)
  end
  return package.loaded.torch.LongStorage(sizes)
end

--- Checks a table of options by name; nil is an empty table.
-- @string where the start of messages
-- @tparam ?table options
-- @tparam {string,...} names of all options
function check.options(where, options, names)
  if options == nil then return {} end
  if type(options) ~= 'table' then fail(where, 'options', options, ('a table such as { %s = ... }'):format(names[1])) end
  local known = {}
  for _, name in ipairs(names) do known[name] = true end
  for name in pairs(options) do
    if not known[name] then
      check.raise(('%s: options: %s, expected one of %s'):format(where, tostring(name), table.concat(names, ', ')))
    end
  end
  return options
end

--- Checks that a value is one of several strings.
function check.choice(where, name, value, choices)
  for _, choice in ipairs(choices) do
    if value == choice then return value end
  end
  fail(where, name, value, "one of '" .. table.concat(choices, "', '") .. "'")
end

--- Checks that a value is a boolean or nil.
function check.flag(where, name, value)
  if value ~= nil and type(value) ~= 'boolean' then fail(where, name, value, 'true or false') end
  return value
end

--- Checks a module's flag to overwrite its input, default false; the message is Torch7's.
function check.inplace(value)
  check.that(value == nil or type(value) == 'boolean', 'in-place flag must be boolean')
  return value or false
end

--- Checks a criterion's weights of classes, or nil; the message is Torch7's.
function check.weights(value)
  if not value then return nil end
  check.that(value:dim() == 1, 'weights input should be 1-D Tensor')
  return value
end

--- Checks that a value is an instance of a class, or a table that a program uses instead: not the class itself, if its call was forgotten.
function check.instance(where, name, value, expected)
  if type(value) ~= 'table' then fail(where, name, value, expected) end
  local metatable = getmetatable(value)
  local typename = type(metatable) == 'table' and rawget(metatable, '__typename')
  if typename and not class.typename(value) then
    check.raise(('%s: %s: the class %s, expected %s: %s(...)'):format(where, name, typename, expected, typename))
  end
  return value
end

--- Makes the methods of a class refuse other first arguments than its objects, as `x.wait()` instead of `x:wait()` has them.
-- @tparam table methods the metatable of its objects
-- @string expected an object in words
function check.methods(methods, expected)
  for name, method in pairs(methods) do
    if type(method) == 'function' and type(name) == 'string' and not name:find '^_' then
      local function checked(self, ...)
        if getmetatable(self) ~= methods then
          check.raise(('%s: self: %s, expected %s: x:%s(...), with a colon'):format(name, check.describe(self), expected, name))
        end
        return method(self, ...)
      end
      methods[name], guard.written[checked] = checked, method
    end
  end
end

--- Checks that a value is a tensor.
function check.tensor(where, name, value)
  if not isTensor(value) then check.raise(('%s: %s: %s, expected a tensor'):format(where, name, messages.type(value))) end
  return value
end

--- Checks that a value is a function, or callable: a module, a table.
function check.callable(where, name, value)
  local metatable = debug.getmetatable(value)
  if type(value) ~= 'function' and (isTensor(value) or not (metatable and metatable.__call)) then
    check.raise(('%s: %s: %s, expected a function'):format(where, name, isTensor(value) and 'a tensor' or type(value)))
  end
  return value
end

--- Checks a dimension of a tensor; negative ones count from the end. Like ops, it accepts numerals.
-- @string where the start of messages
-- @string name of the argument
-- @tparam torch.Tensor x
-- @param dim
-- @bool[opt=false] truncates whether a fraction is truncated, as by `check.whole`
-- @treturn int the dimension from 1
function check.dim(where, name, x, dim, truncates)
  local number = (type(dim) == 'number' or type(dim) == 'string') and tonumber(dim)
  if not number then check.raise(('%s: %s: %s, expected a dimension'):format(where, name, class.type(dim))) end
  if truncates then number = check.whole(where, name, number) end
  if number % 1 ~= 0 then check.raise(('%s: %s: %s, expected a whole number'):format(where, name, number), 'range') end
  return check.call(require('torch.check.expect').whichDim, where, name, x, number)
end

--- Checks that x is a tensor whose last dimension has the given size.
function check.lastSize(where, name, x, size)
  if x:dim() == 0 or x:size(x:dim()) ~= size then
    check.raise(('%s: %s: a tensor of size %s, expected %d in the last dimension'):format(where, name, messages.sizes(x), size), 'shape')
  end
  return x
end

return check
