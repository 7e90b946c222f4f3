--- Untracked tensors that share memory: where tracked values are written to one of them, the tape follows them all from then on.
--
-- Which of them is a view of which does not matter: each is a view of the storage's whole, a vector whose history is theirs. A tensor that
-- is tracked from then on gets its node, that of a view of the whole, when it is first asked for.
-- @module autograd.follow
local C = require 'libmoontorch'
local torch = require 'torch'

local setNode, getNode, gradMode, isShared, storageAddress = C.setNode, C.node, C.gradMode, C.isShared, C.storageAddress
local next, rawget = next, rawget

-- The whole of each storage that is followed, by its address.
local wholes = {}

-- Lets go of what no tensor shows any more.
local function forget()
  local address, whole = next(wholes)
  while address do
    local following, other = next(wholes, address)
    if not isShared(whole) then wholes[address] = nil end
    address, whole = following, other
  end
end

-- Forgets with each cycle of the collector, as long as there is anything.
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
-- @tparam function start gives the vector that stands for the whole a node: what is there now is a constant
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
