--- Access of devices to each other's memory, by cutorch's names.
-- @module cutorch.peers
local check, api = require 'torch.check', require 'torch.cuda.api'

local peers = {}

local kernels = false

--- Whether copies go directly from one device's memory to another's.
-- @int device
-- @int peer
-- @treturn boolean
function peers.getPeerToPeerAccess(device, peer)
  local where = 'cutorch.getPeerToPeerAccess'
  local a, b = api.device(where, device), api.device(where, peer)
  return a == b or api.number(where, 'peer_access', a, b) ~= 0
end

--- Enables or disables direct copies between two devices.
-- @int device
-- @int peer
-- @tparam boolean on
function peers.setPeerToPeerAccess(device, peer, on)
  local where = 'cutorch.setPeerToPeerAccess'
  if type(on) ~= 'boolean' then check.raise(('%s: on: %s, expected a boolean'):format(where, type(on))) end
  local a, b = api.device(where, device), api.device(where, peer)
  if a == b then return end
  api.call(where, 'set_peer_access', a, b, on and 1 or 0)
end

--- The last value set by `setKernelPeerToPeerAccess`.
-- @treturn boolean
function peers.getKernelPeerToPeerAccess() return kernels end

--- In Torch7, allows ops on tensors of several devices. Here it only stores the value: ops reject such tensors; use `copy` between devices.
-- @tparam boolean on
function peers.setKernelPeerToPeerAccess(on)
  if type(on) ~= 'boolean' then check.raise(('cutorch.setKernelPeerToPeerAccess: on: %s, expected a boolean'):format(type(on))) end
  kernels = on
end

return peers
