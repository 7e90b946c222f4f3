--- What the recorder and the walker need to know of an op, worked out once from its rule.
--
-- An *op* entry says how to record. Its *variants*, one for each combination of tracked arguments (bit i-1 of the mask: argument i), say
-- which functions run at backward and so which tensors are kept.
-- @module autograd.variant
local C = require 'libmoontorch'
local rules = require 'autograd.rules'
local compile = require('autograd.expression').compile
local view = require 'autograd.view'

-- What to keep of the argument that a rule's parameter stands for.
local function keepKind(parameter)
  if parameter:sub(1, 1) == '_' then return nil end
  if parameter == 'rest' then return 'rest' end
  if parameter:find('Size$') then return 'size' end
  if parameter:find('Like$') then return 'like' end
  if parameter:find('Type$') then return 'type' end
  return 'value'
end

-- Adds what fn wants to `keep`: entry 0 is the result, entry i argument i of `total`. Returns the number of arguments that it knows.
local function collectKept(fn, keep, total)
  local described = debug.getinfo(fn, 'u')
  local count = described.nparams
  for i = 2, count do
    local kind = keepKind(debug.getlocal(fn, i))
    if kind and keep[i - 2] and keep[i - 2] ~= kind then
      error(('autograd.rules: the functions of one rule want argument %d as its %s and as its %s'):format(i - 2, keep[i - 2], kind), 0)
    end
    keep[i - 2] = kind or keep[i - 2]
  end
  if not described.isvararg then return math.max(count - 2, 0) end
  for i = count - 1, total do keep[i] = 'value' end
  return total
end

-- Calls f with each function of a rule.
local function eachFunction(rule, f)
  if type(rule) == 'function' then return f(rule) end
  if type(rule) ~= 'table' or rule.kind then return end
  for i, fn in pairs(rule) do
    if fn then f(fn, i) end
  end
end

-- Number of arguments that matter to backward: the last that is kept or may be tracked.
local function arityOf(rule, info)
  local last = 1
  if type(rule) ~= 'table' then
    for i, isTensor in ipairs(info.tensors or {}) do
      if isTensor then last = i end
    end
  end
  eachFunction(rule, function(fn, i) last = math.max(last, i or 1, collectKept(fn, {}, info.total or 0)) end)
  return last
end

-- Tells the binding of a variant that it may record by itself, and of the programs that it may run in a plain walk.
local function declareNative(op, mask, variant)
  local programs = {}
  for i = 1, variant.last do programs[i] = variant[i] and op.programs[i] or false end
  local all = true
  for i = 1, variant.last do all = all and (not variant[i] or programs[i]) end
  variant.gone = { name = op.name, released = true, view = op.view }
  C.declareVariant(op.name, mask, variant, op.broadcast or false, all and variant.last > 0 and programs or false)
end

-- op[mask]: made when first met.
local function makeVariant(op, mask)
  local rule, keep = op.rule, {}
  local variant = { name = op.name, arity = op.arity, arguments = op.arguments, ours = op.ours, view = op.view }
  if type(rule) == 'table' and rule.kind == 'refuse' then
    variant.missing = rule.reason
  elseif rule == nil then
    variant.missing = 'no derivative is known for this op'
  else
    eachFunction(rule, function(fn, i)
      if not i then
        variant.all = fn
      elseif bit.band(mask, bit.lshift(1, i - 1)) ~= 0 then
        variant[i] = fn
      else
        return
      end
      collectKept(fn, keep, op.total)
    end)
  end
  variant.keepResult = (keep[0] == 'value' or keep[0] == 'rest') and keep[0]
  variant.keep, variant.keepSome = keep, next(keep) ~= nil
  variant.keep1, variant.keep2, variant.keep3 = keep[1], keep[2], keep[3]
  -- The walk's short way: a function for each argument, three at most.
  variant.usual = not variant.missing and not variant.all and op.arity <= 3
  variant.last = variant[3] and 3 or variant[2] and 2 or variant[1] and 1 or 0
  if op.ours and variant.usual and (not op.special or op.view and view.replays[op.name]) then declareNative(op, mask, variant) end
  op[mask] = variant
  return variant
end

-- Does any variant keep a tensor argument? Then a result that is also an argument must be copied before it is overwritten.
local function keepsArguments(rule, info)
  local keep, found = {}, false
  eachFunction(rule, function(fn) collectKept(fn, keep, info.total or 0) end)
  for i, kind in pairs(keep) do
    if i > 0 and kind == 'value' and (not info.tensors or info.tensors[i]) then found = true end
  end
  return found
end

-- A rule's expressions as functions, and their programs.
local function compiled(rule, arguments)
  local functions, programs = rule, {}
  if type(rule) == 'table' and not rule.kind then
    functions = {}
    for i, part in pairs(rule) do
      if type(part) == 'string' then
        functions[i], programs[i] = compile(part, arguments)
      else
        functions[i] = part
      end
    end
  end
  return functions, programs
end

--- Entry of an op whose rule is given, for ops made of others and for the registry's.
local function makeOp(name, rule, info)
  local known = info ~= nil  -- the registry's: its rule keeps nothing for itself
  info = info or {}
  info.total = info.arguments and #info.arguments or 0
  local programs
  rule, programs = compiled(rule, info.arguments)
  local traits = rules.traitsOf(name)
  local op = {
    name = name, rule = rule, programs = programs, arity = arityOf(rule, info), view = traits.view, broadcast = traits.broadcast,
    arguments = info.arguments, total = info.total, keepsArguments = keepsArguments(rule, info),
    constant = type(rule) == 'table' and rule.kind == 'none', ours = known,
  }
  op.special = op.constant or op.view or op.arity > 3 or info.lists or (info.results or 1) > 1 or false
  return op
end

--- All op entries by name; one is made when its op is first recorded.
local ops = setmetatable({}, {
  __index = function(all, name)
    local op = makeOp(name, rules[name], C.opInfo(name))
    all[name] = op
    return op
  end,
})

-- The variant of the node of an argument that was broadcast: it keeps the argument's size, to which its gradient is summed.
local rule, steps = compile('expand_grad(g, size(x))', { 'x' })
local broadcast = {
  name = 'broadcast', arity = 1, keepSome = true, keep = { 'size' }, keep1 = 'size', usual = true, last = 1, rule,
  gone = { name = 'broadcast', released = true },
}
C.declareBroadcast(broadcast, { steps })

return { ops = ops, makeOp = makeOp, makeVariant = makeVariant, broadcast = broadcast }
