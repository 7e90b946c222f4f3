--- Tables nested to any depth whose leaves are tensors and numbers: parameters and their gradients.
-- @module autograd.classic.trees
local torch = require 'torch'

local trees = {}

local function isBranch(value) return type(value) == 'table' and not torch.typename(value) end

--- Returns the tree with each leaf replaced by fn(leaf, key); nil leaves a hole.
function trees.map(value, fn, key)
  if not isBranch(value) then return fn(value, key) end
  local mapped = {}
  for name, element in pairs(value) do mapped[name] = trees.map(element, fn, name) end
  return mapped
end

local function before(a, b)
  if type(a) == type(b) and (type(a) == 'number' or type(a) == 'string') then return a < b end
  if type(a) ~= type(b) then return type(a) == 'number' or (type(b) ~= 'number' and type(a) < type(b)) end
  return tostring(a) < tostring(b)
end

--- Returns the keys of a table in an order that depends only on the keys: numbers, then strings, then others.
function trees.keys(branch)
  local keys = {}
  for key in pairs(branch) do keys[#keys + 1] = key end
  table.sort(keys, before)
  return keys
end

--- Calls fn(leaf, branch, key) for each leaf, in the order of `keys`.
function trees.each(value, fn, branch, key)
  if not isBranch(value) then return fn(value, branch, key) end
  for _, name in ipairs(trees.keys(value)) do trees.each(value[name], fn, value, name) end
end

return trees
