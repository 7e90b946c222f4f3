--- set, resize and resizeAs where the tape follows the tensor: what it shows changes, so must its history.
-- @module autograd.rebinding
local C = require 'libmoontorch'
local torch, check, node = require 'torch', require 'torch.check', require 'autograd.node'

local getNode, setNode, gradMode, isLeaf = C.node, C.setNode, C.gradMode, node.isLeaf
local isTensor = torch.isTensor
local plain = require('torch.tensor').methods
local set, resize, resizeAs = plain.set, plain.resize, plain.resizeAs

local methods = {}

-- A result is made to show nothing that the tape knows of: its past is over. A leaf stays one, with other elements.
local function forget(x, n)
  if n and not isLeaf(n) then setNode(x, nil) end
end

--- As Torch7's set. Made to show a tracked tensor, x becomes a view of it; made to show anything else, x loses its history, but a leaf
-- remains one.
function methods.set(x, source, ...)
  local n = gradMode() and getNode(x)
  local tracked = gradMode() and isTensor(source) and source:dim() > 0 and getNode(source)
  if not tracked then
    if not n then return set(x, source, ...) end      -- a tail call: its errors carry the caller's line
    set(x, source, ...)
    forget(x, n)
    return x
  end
  if n and isLeaf(n) then check.raise('set: self: a leaf that requires a gradient cannot become a view of a tracked tensor') end
  setNode(x, nil)
  set(x)      -- it must not be taken for what it showed before
  return torch.narrow(x, source, 1, 1, source:size(1))
end

-- Resizes, unless x is a result, whose elements the tape could not follow.
local function resized(name, resizePlain, x, ...)
  local n = gradMode() and getNode(x)
  if n and not isLeaf(n) then
    local alias = C.detach(x)
    resizePlain(alias, ...)
    if not C.sameSizes(alias, x) then
      local came = 'the result of ' .. node.name(n) .. ' came, which the tape cannot follow into other sizes; use view or reshape'
      check.raise(name .. ': self: ' .. came)
    end
    return x
  end
  return resizePlain(x, ...)
end

--- As Torch7's resize, but an error where x is a tracked result.
function methods.resize(x, ...) return resized('resize', resize, x, ...) end

--- As Torch7's resizeAs, but an error where x is a tracked result.
function methods.resizeAs(x, other)
  if not gradMode() or not getNode(x) then return resizeAs(x, other) end
  return resized('resizeAs', resizeAs, x, other)
end

return methods
