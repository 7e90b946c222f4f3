--- Derives the gradients of formulas as trees of ops, from the rules of these ops (see autograd.rules). Each rule must be an expression, or
-- have one in `rules.plain`.
-- @module autograd.derivation
local C = require 'libmoontorch'
local rules, parse = require 'autograd.rules', require('autograd.expression').parse

local derivation = {}

local function keyOf(tree)
  if tree.number then return tostring(tree.number) end
  if tree.name then return (tree.negative and '-' or '') .. tree.name .. (tree.entry and '[' .. tree.entry .. ']' or '') end
  local parts = {}
  for i = 1, #tree do parts[i] = keyOf(tree[i]) end
  return ('%s(%s)%s'):format(tree.call, table.concat(parts, ','), tree.result and tree.result > 1 and '[' .. tree.result .. ']' or '')
end

--- Returns a key that identifies a tree.
-- @tparam table tree (see autograd.expression)
-- @treturn string
derivation.keyOf = keyOf

local isSize = { size = true, sizeOf = true }

--- Names of calls that return the size of their argument.
derivation.isSize = isSize

-- Replaces the names in a rule's tree by trees.
local function substituted(tree, by)
  if tree.number or tree.name == 'none' then return tree end
  if tree.name then
    local own = by[tree.name .. (tree.entry and '[' .. tree.entry .. ']' or '')] or by[tree.name]
    if own == nil then return nil end
    if tree.negative and own.number then return { number = -own.number } end
    if tree.negative then return { name = own.name, negative = not own.negative, entry = own.entry } end
    return own
  end
  local copy = { call = tree.call, result = tree.result }
  for i = 1, #tree do
    copy[i] = substituted(tree[i], by)
    if copy[i] == nil then break end                               -- omitted, like all arguments after it
  end
  return tree.call == 'times' and not copy[2] and copy[1] or copy
end

-- Returns the expression for argument i of an op, or nil if it has no gradient.
local function ruleOf(op, i, text)
  local rule = rules[op]                                           -- loads the family's file, which may have a plain rule, too
  rule = rules.plain[op] or rule
  if type(rule) == 'table' and rule.kind then return nil end
  local part = rule
  if type(rule) == 'table' and not rule.gradient then part = rule[i] end       -- else one function for all arguments
  if rule == nil or part and type(part) ~= 'string' then
    error(("formula: '%s': the gradient of %s by its argument %d is no expression"):format(text, op, i), 0)
  end
  return part or nil
end

local function dependsOn(tree, wanted)
  if tree.call then
    for i = 1, #tree do
      if dependsOn(tree[i], wanted) then return true end
    end
    return false
  end
  return tree.name ~= nil and wanted[keyOf(tree)] ~= nil
end

-- Returns whether a tree is a field, which may have been broadcast, or a view of a field.
local function isField(tree)
  if tree.call then return (tree.call == 'view' or tree.call == 'contiguous') and isField(tree[1]) end
  return tree.name ~= nil and tree.name ~= 'input'
end

-- Collects trees that occur several times, so that each is derived once: by key {tree, uses = number of trees in which it occurs,
-- gradient}.
local function occurrences(tree, wanted, parts)
  local key = keyOf(tree)
  local part = parts[key]
  if part then
    part.uses = part.uses + 1
    return parts
  end
  parts[key] = { tree = tree, uses = 1 }
  for i = 1, tree.call and not isSize[tree.call] and #tree or 0 do
    if dependsOn(tree[i], wanted) then occurrences(tree[i], wanted, parts) end
  end
  return parts
end

-- Returns the trees for the names in the rules of a tree's op.
local function namesIn(tree, g, known)
  local info, key = C.opInfo(tree.call), keyOf(tree)
  local by = { g = g, h = g, result = key == known.root and { name = 'result' } or tree }
  for i, name in ipairs(info.arguments) do by[name] = tree[i] or info.params[i].default and { number = info.params[i].default } end
  for k = 2, info.results do
    by[('result[%d]'):format(k)] = key == known.keeper and { name = 'result', entry = k } or { call = tree.call, result = k, unpack(tree) }
  end
  return by, info
end

-- Adds the trees of the wanted gradients to `found`, by name. g is the gradient of the tree, or false if it has none. `known` has the keys
-- of trees whose results are available without computing them again: `root`, and `keeper`, whose further results are saved.
local function derive(tree, g, wanted, found, text, known, parts)
  local part = parts[keyOf(tree)]
  part.gradient = g and part.gradient and { call = 'add', part.gradient, g } or g or part.gradient
  part.uses = part.uses - 1
  if part.uses > 0 then return end
  g = part.gradient
  if not tree.call then
    if wanted[keyOf(tree)] then found[keyOf(tree)] = g or nil end
    return
  end
  if isSize[tree.call] then return end
  local by, info = namesIn(tree, g, known)
  for i = 1, #tree do
    if dependsOn(tree[i], wanted) then
      local rule = g and ruleOf(tree.call, i, text)
      local gradient = rule and substituted(parse(rule), by) or false
      if gradient and info.broadcasts and isField(tree[i]) and info.tensors[2] then
        gradient = { call = 'expand_grad', gradient, { call = 'size', tree[i] } }
      end
      derive(tree[i], gradient, wanted, found, text, known, parts)
    end
  end
end

--- Derives the gradients of a tree's result.
-- @tparam table tree
-- @tparam table wanted the keys of the trees by which gradients are wanted
-- @string text the formula, for messages
-- @tparam[opt] table keeper the subtree whose further results are saved
-- @treturn table the trees of the gradients by key; they contain `g`, the names of the tree, `result`, and saved results
function derivation.of(tree, wanted, text, keeper)
  local found, known = {}, { root = keyOf(tree), keeper = keeper and keyOf(keeper) }
  if next(wanted) then derive(tree, { name = 'g' }, wanted, found, text, known, occurrences(tree, wanted, {})) end
  return found
end

return derivation
