--- What the binding's recorder and walker need to know of an op, worked out once from its rule.
--
-- An *op* entry says how to record. Its *variants*, one for each combination of tracked arguments (bit i-1 of the mask: argument i), say
-- which functions run at backward and so which tensors are kept.
-- @module autograd.variant
local C = require 'libmoontorch'
local rules = require 'autograd.rules'
local saves = require 'autograd.saves'
local compile = require('autograd.expression').compile
local view = require 'autograd.view'
local composed = require('torch.op').find

-- Calls f with each part of an op's rule and its place among the arguments, which the one of all arguments has not.
local function eachPart(parts, f)
  if parts.all then return f(parts.all) end
  for i, part in pairs(parts) do f(part, i) end
end

-- Number of arguments that matter to backward: the last that is saved or may be tracked.
local function arityOf(parts, info, replayed)
  local last = replayed[#replayed] or 1
  if parts.all then
    for i, isTensor in ipairs(info.tensors or {}) do
      if isTensor then last = i end
    end
  end
  eachPart(parts, function(part, i)
    last = math.max(last, i or 1)
    for _, entry in ipairs(part.saves) do last = math.max(last, entry[1]) end
  end)
  return last
end

-- The parts of an op's rule that run where the arguments of a mask are tracked.
local function partsFor(op, mask)
  if op.parts.all then return op.parts end
  local chosen = {}
  for i, part in pairs(op.parts) do
    if bit.band(mask, bit.lshift(1, i - 1)) ~= 0 then chosen[i] = part end
  end
  return chosen
end

-- Tells the binding of the variant for the tracked arguments of a mask: what is kept, which functions run, and which programs in their
-- place where nothing is recorded or watched.
local function declareVariant(op, mask)
  local parts, keep, programs = partsFor(op, mask), {}, {}
  eachPart(parts, function(part) saves.collect(part.saves, keep) end)
  for _, place in ipairs(op.replayed) do keep[place] = keep[place] or 'value' end
  local variant = { arity = op.arity, arguments = op.arguments, ours = op.ours, missing = op.missing }
  eachPart(parts, function(part, i) variant[i or 'all'] = saves.adapt(part, keep) end)
  variant.keepResult = keep[0]
  variant.keep, variant.keepSome = keep, next(keep) ~= nil
  for i = 1, op.arity do programs[i] = op.ours and not parts.all and parts[i] and parts[i].steps or false end
  C.declareVariant(op.handle, mask, variant, programs)
end

-- Does any variant keep a tensor argument? Then a result that is also an argument must be copied before it is overwritten.
local function keepsArguments(parts, info)
  local keep, found = {}, false
  eachPart(parts, function(part) saves.collect(part.saves, keep) end)
  for i, kind in pairs(keep) do
    if i > 0 and kind == 'value' and (not info.tensors or info.tensors[i]) then found = true end
  end
  return found
end

-- A part of a rule, as autograd.saves has them; one that is an expression has the steps, too, that the binding runs.
local function partOf(name, rule, info)
  if type(rule) == 'string' then
    local f, steps, kinds = compile(rule, info.arguments, name)
    return { f = f, steps = steps, saves = saves.listed(kinds), placed = true }
  end
  if type(rule) == 'function' then rule = rules.saving('', rule) end
  local list = saves.read(name, rule.saves, info.arguments, info.results)
  saves.check(name, rule.gradient, #list)
  return { f = rule.gradient, saves = list }
end

-- The parts of a rule: for all arguments at once (`all`), or for each that has one.
local function partsOf(name, rule, info)
  if type(rule) == 'function' or rule.gradient then return { all = partOf(name, rule, info) } end
  local parts = {}
  for i, part in pairs(rule.kind and {} or rule) do
    if part and type(i) == 'number' then parts[i] = partOf(name, part, info) end
  end
  return parts
end

-- Why there is no derivative, where a backward that asks for it is to say so.
local function reasonAgainst(rule)
  if rule == nil then return 'no derivative is known for this op' end
  return type(rule) == 'table' and rule.kind == 'refuse' and rule.reason or nil
end

-- Ops that are not the registry's, by the numbers that the binding gave them.
local declared = {}

--- Entry of an op whose rule is given, for ops made of others and for the registry's.
-- @tparam string name
-- @param rule as in autograd.rules; a rule of an op made of others names its arguments, where it saves any, in a field `arguments`
-- @tparam[opt] table info what the registry knows of the op, and `registered`; or, with `like`, of the op that has such arguments
-- @treturn table its field `handle` is what the binding knows the op by
-- @raise if the rule names what the op has not
local function makeOp(name, rule, info)
  local known = info ~= nil  -- its rule keeps nothing for itself
  info = info or { arguments = type(rule) == 'table' and rule.arguments or {}, results = 1 }
  local parts = partsOf(name, rule or {}, info)
  local replayed = view.savedFor(info)
  local shares = info.sharing ~= nil and info.sharing ~= 'none'
  local op = {
    name = name, parts = parts, missing = reasonAgainst(rule), arity = arityOf(parts, info, replayed), replayed = replayed,
    view = shares, described = shares and info.replay == '', broadcast = info.broadcasts, ours = known, like = info.like,
    arguments = #info.arguments > 0 and info.arguments or nil, keepsArguments = keepsArguments(parts, info),
    constant = type(rule) == 'table' and rule.kind == 'none',
  }
  op.handle = C.declareOp(info.registered and name or nil, op)
  if not info.registered then declared[op.handle] = op end
  return op
end

--- All op entries by name; one is made when its op is first recorded.
local ops = setmetatable({}, {
  __index = function(all, name)
    local info = C.opInfo(name)
    if info then info.registered = not composed(name) end
    local op = makeOp(name, rules[name], info)
    all[name] = op
    return op
  end,
})

--- Tells the binding of an op, and of the variant for some tracked arguments.
-- @param handle name of an op of the registry, or what makeOp gave
-- @tparam[opt] int mask bit i - 1 stands for argument i
local function declare(handle, mask)
  local op = declared[handle] or type(handle) == 'string' and ops[handle]
  if op and mask then declareVariant(op, mask) end
end

return { ops = ops, makeOp = makeOp, declare = declare }
