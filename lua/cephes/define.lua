--- Defines functions of the package cephes: of numbers or tensors, by torch.mapped, with levels of errors and C's pointers.
-- `define(name, names, f, traits)` maps a function of numbers, which returns a number and, if it could not be found, the reason;
-- `define.tensors` one of DoubleTensors.
-- @module cephes.define
local ffi = require 'ffi'
local torch = require 'torch'
local check, mapped, errors = require 'torch.check', require 'torch.mapped', require 'cephes.errors'

local define = {}

--- The functions of numbers by name, without checks: `cephes.ffi`.
define.plain = {}

--- Whether a value is a pointer to a number of C, or an array.
-- @param x
-- @string[opt='double'] kind
-- @treturn bool
function define.isPointer(x, kind)
  if type(x) ~= 'cdata' or x == nil then return false end      -- a null pointer equals nil
  local shape = tostring(ffi.typeof(x)):match('^ctype<' .. (kind or 'double') .. ' (.*)>$')
  return shape == '*' or shape ~= nil and shape:find '^%[' ~= nil and ffi.sizeof(x) > 0
end
local isPointer = define.isPointer

-- The parameters of each result, as numbers.
local function rowsOf(n, count, ...)
  local given, rows = { ... }, {}
  if select('#', ...) > n then table.remove(given, 1) end
  for k = 1, n do
    local x = given[k]
    local values = torch.isTensor(x) and x:double():contiguous():view(-1):totable() or { x }
    for i = 1, count do
      rows[i] = rows[i] or {}
      rows[i][k] = values[i] or values[1]
    end
  end
  return rows
end

local function listOf(value) return torch.isTensor(value) and value:double():contiguous():view(-1):totable() or { value } end

-- Adds the report of errors to a function.
local function watched(name, n, f, traits)
  return function(...)
    if not errors.start() then return f(...) end
    local results = { f(...) }
    for i = 1, #results do
      local values = listOf(results[i])
      errors.report(name, traits, values, rowsOf(n, #values, ...))
    end
    return unpack(results)
  end
end

local function noted(f)
  return function(...)
    local value, problem = f(...)
    if problem then errors.lose(problem) end
    return value
  end
end

-- f(parameters, pointer) sets the double at the pointer to the third result; `skipped` parameters before it are ignored.
local function withError(name, names, f, other, skipped)
  local n = #names
  return function(...)
    local count = select('#', ...)
    local pointer = count > 0 and select(count, ...)
    if not isPointer(pointer) then return other(...) end
    local parameters = { ... }
    if count ~= n + skipped + 1 then
      check.raise(('cephes.%s: %d arguments before the pointer, expected %d'):format(name, count - 1, n + skipped))
    end
    for i = 1, n do
      if type(parameters[i]) ~= 'number' then
        check.raise(('cephes.%s: %s: a %s, expected a number'):format(name, names[i], torch.type(parameters[i])))
      end
    end
    local value = other(unpack(parameters, 1, n))
    local _, _, err = f(unpack(parameters, 1, n))
    pointer[0] = err
    return value
  end
end

--- Defines a function of DoubleTensors.
-- @string name
-- @tparam {string,...} names of the parameters
-- @tparam function f
-- @tparam[opt] table traits see cephes.errors
-- @treturn function
function define.tensors(name, names, f, traits)
  local g = mapped('cephes', name, names, f, nil, true)
  define.plain[name] = g
  return watched(name, #names, g, traits or {})
end

--- Defines a function with several results: numbers, or tensors of one dimension if a parameter is a tensor.
-- @string name
-- @tparam {string,...} names of the parameters
-- @tparam {string,...} results names of the results
-- @tparam function f of numbers
-- @tparam[opt] table traits see cephes.errors
-- @treturn function
function define.several(name, names, results, f, traits)
  local n, k = #names, #results
  local function spread(...)
    local isNumber = true
    for i = 1, n do isNumber = isNumber and type((select(i, ...))) == 'number' end
    local lists = {}
    for i = 2, k do lists[i] = {} end
    local function one(...)
      local values = { f(...) }
      for i = 2, k do lists[i][#lists[i] + 1] = values[i] end
      if values[k + 1] then errors.lose(values[k + 1]) end
      return values[1]
    end
    local first = mapped('cephes', name, names, one)(...)
    for i = 2, k do lists[i] = isNumber and lists[i][1] or torch.DoubleTensor(lists[i]) end
    lists[1] = first
    return unpack(lists, 1, k)
  end
  define.plain[name] = f
  local g = watched(name, n, spread, traits or {})
  return function(...)
    local count = select('#', ...)
    if count <= n or not isPointer((select(n + 1, ...))) then
      if count ~= n then check.raise(('cephes.%s: need %d arguments, or %d with pointers, got %d'):format(name, n, n + k, count)) end
      return g(...)
    end
    local given = { ... }
    for i = n + 1, n + k do
      if not isPointer(given[i]) then
        check.raise(('cephes.%s: %s: a %s, expected a pointer to a double'):format(name, results[i - n], type(given[i])))
      end
    end
    local values = { g(unpack(given, 1, n)) }
    for i = 1, k do
      if type(values[i]) ~= 'number' then check.raise(('cephes.%s: %s: a tensor, expected a number'):format(name, names[1])) end
      given[n + i][0] = values[i]
    end
    return 0
  end
end

return setmetatable(define, {
  __call = function(_, name, names, f, traits)
    traits = traits or {}
    local g = watched(name, #names, mapped('cephes', name, names, noted(f)), traits)
    define.plain[name] = function(...) return (f(...)) end
    return traits.hasError and withError(name, names, f, g, traits.skipped or 0) or g
  end,
})
