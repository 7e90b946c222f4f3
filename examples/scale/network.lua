-- A network of machines with several ranks each, as scale.lua imagines it: messages take their time on the way and occupy what they pass.
local Network = {}
Network.__index = Network

-- Creates a network. Fields of `figures`: `ranks`, `perMachine`; `latency` in seconds and `bandwidth` in bytes per second between machines;
-- `localLatency` and `localBandwidth` between ranks of a machine; `sum`, the bytes per second that a rank adds to a vector.
function Network.new(figures)
  local net = setmetatable({ sent = 0 }, Network)
  for name, value in pairs(figures) do net[name] = value end
  net.machines = math.ceil(net.ranks / net.perMachine)
  net.out, net.into, net.copied = {}, {}, {}      -- until when each machine sends and receives, and each rank copies
  for i = 0, net.machines - 1 do net.out[i], net.into[i] = 0, 0 end
  for i = 0, net.ranks - 1 do net.copied[i] = 0 end
  return net
end

-- Sends bytes from rank to rank, from a time on. Returns when they have arrived.
function Network:send(from, to, bytes, at)
  local a, b = math.floor(from / self.perMachine), math.floor(to / self.perMachine)
  if a == b then
    local finish = math.max(at, self.copied[to]) + bytes / self.localBandwidth
    self.copied[to] = finish
    return finish + self.localLatency
  end
  self.sent = self.sent + bytes
  local finish = math.max(at, self.out[a], self.into[b]) + bytes / self.bandwidth
  self.out[a], self.into[b] = finish, finish
  return finish + self.latency
end

return Network
