--- Data about ops for the binding's recorder and backward pass, derived once from their rules.
--
-- An *op* entry describes how to record the op. Its *variants*, one for each combination of tracked arguments (bit i-1 of the mask:
-- argument i), list the functions that run in backward, and hence the saved tensors.
-- @module autograd.variant
local C = require 'libmoontorch'
local rules = require 'autograd.rules'
local saves = require 'autograd.saves'
local compile = require('autograd.expression').compile
local view = require 'autograd.view'
local composed = require('torch.op').find

-- Calls f with each part of an op's rule and the position of its argument; a part for all arguments has no position.
local function eachPart(parts, f)
  if parts.all then return f(parts.all) end
  for i, part in pairs(parts) do f(part, i) end
end

-- Returns the number of arguments that matter to backward: up to the last one that is saved or may be tracked.
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

-- Returns the parts of an op's rule that run if the arguments of a mask are tracked.
local function partsFor(op, mask)
  if op.parts.all then return op.parts end
  local chosen = {}
  for i, part in pairs(op.parts) do
    if bit.band(mask, bit.lshift(1, i - 1)) ~= 0 then chosen[i] = part end
  end
  return chosen
end

-- Declares the variant for the tracked arguments of a mask in the binding: what is saved, which functions run, and which expressions
-- replace them if nothing is recorded or watched.
local function declareVariant(op, mask)
  local parts, keep, texts = partsFor(op, mask), {}, {}
  eachPart(parts, function(part) saves.collect(part.saves, keep) end)
  for _, place in ipairs(op.replayed) do keep[place] = keep[place] or 'value' end
  local variant = { arity = op.arity, arguments = op.arguments, ours = op.ours, missing = op.missing }
  eachPart(parts, function(part, i) variant[i or 'all'] = saves.adapt(part, keep) end)
  variant.keepResult = keep[0]
  variant.keep, variant.keepSome = keep, next(keep) ~= nil
  for i = 1, op.arity do texts[i] = op.ours and not parts.all and parts[i] and parts[i].text or false end
  C.declareVariant(op.handle, mask, variant, texts)
end

-- Returns whether any variant saves a tensor argument. If so, a result that is also an argument must be copied before it is overwritten.
local function keepsArguments(parts, info)
  local keep, found = {}, false
  eachPart(parts, function(part) saves.collect(part.saves, keep) end)
  for i, kind in pairs(keep) do
    if i > 0 and kind == 'value' and (not info.tensors or info.tensors[i]) then found = true end
  end
  return found
end

-- Returns a part of a rule in the form of autograd.saves. An expression keeps its text, which the binding runs as a graph.
local function partOf(name, rule, info)
  if type(rule) == 'string' then
    local f, _, kinds = compile(rule, info.arguments, name)
    return { f = f, text = rule, saves = saves.listed(kinds), placed = true }
  end
  if type(rule) == 'function' then rule = rules.saving('', rule) end
  local list = saves.read(name, rule.saves, info.arguments, info.results)
  saves.check(name, rule.gradient, #list)
  return { f = rule.gradient, saves = list }
end

-- Returns the parts of a rule: one for all arguments (`all`), or one for each argument with a gradient.
local function partsOf(name, rule, info)
  if type(rule) == 'function' or rule.gradient then return { all = partOf(name, rule, info) } end
  local parts = {}
  for i, part in pairs(rule.kind and {} or rule) do
    if part and type(i) == 'number' then parts[i] = partOf(name, part, info) end
  end
  return parts
end

-- Returns why an op has no derivative, for the error of a backward pass that needs it.
local function reasonAgainst(rule)
  if rule == nil then return 'no derivative is known for this op' end
  return type(rule) == 'table' and rule.kind == 'refuse' and rule.reason or nil
end

-- Ops that are not in the registry, by the binding's numbers for them.
local declared = {}

--- Creates the entry of an op with the given rule: for composed ops and for ops of the registry.
-- @tparam string name
-- @param rule as in autograd.rules; the rule of a composed op lists its arguments in a field `arguments` if it saves any
-- @tparam[opt] table info the registry's information about the op, and `registered`; or, with `like`, about an op with the same arguments
-- @treturn table its field `handle` identifies the op in the binding
-- @raise if the rule names an argument that the op doesn't have
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

--- All op entries by name; an entry is created when its op is first recorded.
local ops = setmetatable({}, {
  __index = function(all, name)
    local info = C.opInfo(name)
    if info then info.registered = not composed(name) end
    local op = makeOp(name, rules[name], info)
    all[name] = op
    return op
  end,
})

--- Declares an op, and the variant for some tracked arguments, in the binding.
-- @param handle name of an op of the registry, or the handle from makeOp
-- @tparam[opt] int mask bit i - 1 is set for argument i
local function declare(handle, mask)
  local op = declared[handle] or type(handle) == 'string' and ops[handle]
  if op and mask then declareVariant(op, mask) end
end

return { ops = ops, makeOp = makeOp, declare = declare }
