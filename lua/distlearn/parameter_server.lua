--- Parameter servers: one process keeps the center, workers exchange their parameters with it, each when it has made `tau` steps.
-- The server serves one exchange after the other. Requests come on the servers for all workers (`serverBroadcast`), the elements go over a
-- connection of each worker.
-- @module distlearn.parameter_server
local check = require 'torch.check'
local leaves = require 'distlearn.leaves'

local parameterServer = {}

local function sendAll(peer, list)
  for _, x in ipairs(list) do peer:send(x) end
end

local function receiveAll(peer, list)
  for _, x in ipairs(list) do peer:recv(x) end
end

-- Waits for the next request; returns nil when no worker is left.
local function nextRequest(server)
  while server:clients(function() end) > 0 do
    local good, request = pcall(server.recvAny, server)
    if good then return request end
    if not tostring(request):find('remote peer disconnected', 1, true) then error(request, 0) end
  end
end

--- Creates the constructor of an algorithm.
-- @string where its name
-- @tparam function serve (peer, center, buffers, sendAll, receiveAll) one exchange, at the server
-- @tparam function exchange (client, params, buffers, sendAll, receiveAll) one exchange, at a worker
-- @treturn function
function parameterServer.new(where, serve, exchange)
  return function(server, serverBroadcast, client, clientBroadcast, numNodes, nodeIndex, tau, alpha)
    check.int(where, 'numNodes', numNodes, { min = 1 })
    check.int(where, 'tau', tau, { min = 1 })
    local self, center, buffers, step = {}, nil, nil, 0

    local function begin(name, params)
      local list = leaves.list(('%s: %s'):format(where, name), 'params', params)
      buffers = buffers or leaves.clones(list)
      check.that(#list == #buffers, ('%s: %s: params: %d tensors, expected %d as in the first call'):format(where, name, #list, #buffers))
      return list
    end

    function self.initServer(params)
      center = begin('initServer', params)
      for _, x in ipairs(center) do serverBroadcast:broadcast(x) end
    end

    function self.syncServer(params)
      center = begin('syncServer', params)
      local request = nextRequest(serverBroadcast)
      if request == nil then return false end
      if type(request) ~= 'number' or not server[request] then
        check.raise(('%s: syncServer: a request %s, expected the number of a worker'):format(where, tostring(request)))
      end
      server[request]:clients(1, function(peer) serve(peer, center, buffers, sendAll, receiveAll) end)
      return true
    end

    function self.initClient(params)
      local list = begin('initClient', params)
      receiveAll(clientBroadcast, list)
      leaves.copy(buffers, list)
    end

    function self.syncClient(params)
      local list = begin('syncClient', params)
      step = step + 1
      if step % tau ~= 0 then return end
      clientBroadcast:send(nodeIndex)
      exchange(client, list, buffers, sendAll, receiveAll, alpha)
    end

    return self
  end
end

return parameterServer
