--- Messages between ranks that nobody waits for: of any size, from any rank at any time, in order for each pair of ranks.
-- Each rank has a receive of 2 KB open for each other rank. A message of up to that size arrives whole; the rest of a longer one follows as
-- a second message. They are messages of torch.distributed in a group of their own, so that what fails here leaves other calls alone.
-- @module distributed.rpc.wire
local ffi = require 'ffi'
local torch, C = require 'torch', require 'libmoontorch'
local group, tensors = require 'distributed.group', require 'distributed.tensors'
local packing = require 'distributed.packing'

local wire = {
  last = 9,      -- the kind of a rank's last message
}

local where = 'torch.distributed.rpc'
local header = ffi.typeof 'struct { int64_t kind, id, bytes; } *'
local headerSize, frame = 24, 2048
local forever = 1e9              -- seconds
local frameTag, restTag = 2 ^ 28, 2 ^ 28 - 1

local ranks, peers, byRank, turn      -- the group; the other ends
local inbox = {}                     -- messages that are not delivered yet

local function options(tag) return { group = ranks, tag = tag, async = true, timeout = forever } end

local function post(peer)
  peer.frame = torch.ByteTensor(frame)
  peer.handle = tensors.receive(peer.frame, peer.rank, options(frameTag))
end

--- Opens the receives. All ranks call it.
function wire.start()
  local all = {}
  for i, rank in ipairs(group.world.ranks) do all[i] = rank end
  ranks, peers, byRank, turn = group.create(all), {}, {}, 0
  for _, rank in ipairs(all) do
    if rank ~= group.world:rank() then
      local peer = { rank = rank, sending = {} }
      peers[#peers + 1], byRank[rank] = peer, peer
      post(peer)
    end
  end
end

local function lose(peer, why)
  peer.handle, peer.lost = nil, why
end

--- Sends a message; returns at once.
-- @int rank another one
-- @int kind
-- @int id
-- @param value that torch.save accepts without functions
-- @treturn ?string why the rank can't be reached
function wire.send(rank, kind, id, value)
  local peer = byRank[rank]
  if peer.lost then return peer.lost end
  local bytes = packing.pack(where, value)
  local size, first = bytes:nElement(), torch.ByteTensor(frame):zero()
  local head = ffi.cast(header, C.lend(first):data())
  head.kind, head.id, head.bytes = kind, id, size
  local inside = math.min(size, frame - headerSize)
  first:narrow(1, headerSize + 1, inside):copy(bytes:narrow(1, 1, inside))
  table.insert(peer.sending, tensors.send(first, rank, options(frameTag)))
  if size > inside then
    table.insert(peer.sending, tensors.send(bytes:narrow(1, inside + 1, size - inside):clone(), rank, options(restTag)))
  end
end

-- Drops the sends that have ended.
local function tidy(peer)
  local left = {}
  for _, handle in ipairs(peer.sending) do
    if not handle:isCompleted() then
      table.insert(left, handle)
    else
      local good, problem = pcall(handle.wait, handle)
      if not good and not peer.lost then lose(peer, tostring(problem)) end
    end
  end
  peer.sending = left
end

local isReceiving = false

--- Returns whether a message is being read: its rest may have to be waited for, and other messages can't be read meanwhile.
function wire.isBusy() return isReceiving end

-- Reads a message whose first part has come, and opens the next receive, before anything is done with the message: that may wait itself.
local function receive(peer)
  local good, problem = pcall(peer.handle.wait, peer.handle)
  if not good then return lose(peer, tostring(problem)) end
  local first = peer.frame
  local head = ffi.cast(header, C.lend(first):data())
  local kind, id, size = tonumber(head.kind), tonumber(head.id), tonumber(head.bytes)
  local inside = math.min(size, frame - headerSize)
  local bytes = torch.ByteTensor(size)
  bytes:narrow(1, 1, inside):copy(first:narrow(1, headerSize + 1, inside))
  if size > inside then
    local rest = torch.ByteTensor(size - inside)
    good, problem = pcall(function() tensors.receive(rest, peer.rank, options(restTag)):wait() end)
    if not good then return lose(peer, tostring(problem)) end
    bytes:narrow(1, inside + 1, size - inside):copy(rest)
  end
  table.insert(inbox, { rank = peer.rank, kind = kind, id = id, bytes = bytes })
  peer.handle = nil
  if kind ~= wire.last then post(peer) end
end

--- Delivers the messages that have come.
-- @tparam function deliver (rank, kind, id, isRead, value, or what is wrong with it)
-- @treturn bool whether there were any
function wire.poll(deliver)
  for _, peer in ipairs(peers) do
    if peer.handle and peer.handle:isCompleted() then
      isReceiving = true
      local good, problem = pcall(receive, peer)
      isReceiving = false
      if not good then error(problem, 0) end      -- an interrupt
    end
    tidy(peer)
  end
  local found = false
  while inbox[1] do
    local message = table.remove(inbox, 1)
    found = true
    deliver(message.rank, message.kind, message.id, pcall(packing.unpack, where, message.bytes))
  end
  return found
end

--- Waits a moment for a message.
-- @number seconds
function wire.rest(seconds)
  for _ = 1, #peers do
    turn = turn % #peers + 1
    local peer = peers[turn]
    local handle = peer.handle or peer.sending[1]
    if handle then
      handle:_await(seconds / #peers)
      return
    end
  end
end

--- Returns why a rank can't be reached, or nil.
function wire.lost(rank) return byRank[rank] and byRank[rank].lost end

--- Calls f(rank, peer) for all other ranks; `peer.handle` is nil if it sends no more, `peer.sending` what is on its way.
function wire.each(f)
  for _, peer in ipairs(peers) do f(peer.rank, peer) end
end

return wire
