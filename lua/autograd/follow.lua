--- Untracked tensors that share memory: when tracked values are written to one of them, the tape follows all of them from then on.
--
-- The views among them need not be known: each tensor is a view of the whole storage as a vector, and this vector has their common history.
-- A tensor that becomes tracked this way gets its node, a view of this vector, when the node is first requested.
-- @module autograd.follow
local C = require 'libmoontorch'
local torch = require 'torch'

local setNode, getNode, gradMode, isShared, storageAddress = C.setNode, C.node, C.gradMode, C.isShared, C.storageAddress
local next, rawget = next, rawget

-- The vector of each followed storage, by the storage's address.
local wholes = {}

-- Forgets storages that no tensor uses any more.
local function forget()
  local address, whole = next(wholes)
  while address do
    local following, other = next(wholes, address)
    if not isShared(whole) then wholes[address] = nil end
    address, whole = following, other
  end
end

-- Calls forget in each cycle of the collector while any storage is followed.
local function watch()
  getmetatable(newproxy(true)).__gc = function()
    forget()
    if next(wholes) then watch() end
  end
end

local function view(x)
  local whole = rawget(wholes, storageAddress(x))
  if not whole or x:nElement() == 0 then return end
  setNode(x, getNode(torch.as_strided(whole, x:size(), x:stride(), x:storageOffset())))
end

C.setAdopter(function(x)
  local mode = gradMode(true)
  local done, message = pcall(view, x)
  gradMode(mode)
  if not done then error(message, 0) end
end)

--- Follows an untracked tensor, and all others that share its memory; none of them may be tracked.
-- @tparam torch.Tensor x
-- @tparam function start records a node for the vector of the storage: its current elements are constants
return function(x, start)
  local address = storageAddress(x)
  if not rawget(wholes, address) then
    local whole = C.wholeOf(x)
    start(whole)
    if not next(wholes) then watch() end
    wholes[address] = whole
  end
  C.awaitNodes(x)
  getNode(x)
end
