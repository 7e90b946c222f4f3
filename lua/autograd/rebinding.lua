--- set, resize and resizeAs of tracked tensors: they change the memory that the tensor views, so its history must change, too.
-- @module autograd.rebinding
local C = require 'libmoontorch'
local torch, check, node = require 'torch', require 'torch.check', require 'autograd.node'

local getNode, setNode, gradMode, isLeaf = C.node, C.setNode, C.gradMode, node.isLeaf
local isTensor = torch.isTensor
local plain = require('torch.tensor').methods
local set, resize, resizeAs = plain.set, plain.resize, plain.resizeAs

local methods = {}

-- Drops the history of a result that now views untracked memory. A leaf remains a leaf, with other elements.
local function forget(x, n)
  if n and not isLeaf(n) then setNode(x, nil) end
end

--- Like Torch7's set. If the source is tracked, x becomes a view of it; otherwise x loses its history, but a leaf remains a leaf.
function methods.set(x, source, ...)
  local n = gradMode() and getNode(x)
  local tracked = gradMode() and isTensor(source) and source:dim() > 0 and getNode(source)
  if not tracked then
    if not n then return set(x, source, ...) end      -- a tail call: errors report the caller's line
    set(x, source, ...)
    forget(x, n)
    return x
  end
  if n and isLeaf(n) then check.raise('set: self: a leaf that requires a gradient cannot become a view of a tracked tensor') end
  setNode(x, nil)
  set(x)      -- otherwise the new memory would be recorded with the old history
  return torch.narrow(x, source, 1, 1, source:size(1))
end

-- Resizes x unless it is a result: the tape could not follow its elements.
local function resized(name, resizePlain, x, ...)
  local n = gradMode() and getNode(x)
  if n and not isLeaf(n) then
    local alias = C.detach(x)
    resizePlain(alias, ...)
    if not C.sameSizes(alias, x) then
      local actual = 'the result of ' .. node.name(n) .. ', which the tape cannot follow into other sizes; use view or reshape'
      check.raise(name .. ': self: ' .. actual)
    end
    return x
  end
  return resizePlain(x, ...)
end

--- Like Torch7's resize, but raises an error if x is a tracked result.
function methods.resize(x, ...) return resized('resize', resize, x, ...) end

--- Like Torch7's resizeAs, but raises an error if x is a tracked result.
function methods.resizeAs(x, other)
  if not gradMode() or not getNode(x) then return resizeAs(x, other) end
  return resized('resizeAs', resizeAs, x, other)
end

return methods
