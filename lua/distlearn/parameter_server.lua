--- Parameter servers: one process keeps the center, workers exchange their parameters with it, each when it has made `tau` steps.
-- The server serves one exchange after the other. Requests come on the servers for all workers (`serverBroadcast`), the elements go over a
-- connection of each worker. Testers get the center over the connection of their requests, and change nothing.
-- @module distlearn.parameter_server
local check = require 'torch.check'
local leaves = require 'distlearn.leaves'

local parameterServer = {}

local testers = 'distlearn.tester'      -- the tag of their clients at the server, and their request

local function sendAll(peer, list)
  for _, x in ipairs(list) do peer:send(x) end
end

local function receiveAll(peer, list)
  for _, x in ipairs(list) do peer:recv(x) end
end

local function ignore() end

-- Waits for the next request of a worker, and answers those of testers with the center; returns nil when no worker is left.
local function nextRequest(server, center)
  local function isOver() return server:clients(ignore) == server:clients(ignore, testers) end
  while not isOver() do
    local good, request, client = pcall(server.recvAny, server)
    if not good and not tostring(request):find('remote peer disconnected', 1, true) then error(request, 0) end
    if good and request ~= testers then return request end
    if good then
      client:tag(testers)
      client:send(not isOver())
      if not isOver() then sendAll(client, center) end
    end
  end
  -- Testers may be waiting.
  server:clients(function(client)
    pcall(function()
      if client:recv() == testers then client:send(false) end
    end)
  end, testers)
end

-- Checks an end of a connection that a function needs.
local function needs(where, name, what, value, kind)
  local isRight = type(value) == 'table' and (kind == 'ipc.client' and value.recvAsync or kind == 'ipc.server' and value.recvAny
    or kind == 'a list of ipc.servers' and not value.recvAny and not value.recvAsync)
  check.that(isRight, ('%s: %s: %s: %s, expected %s'):format(where, name, what, check.describe(value), kind))
end

--- Creates the constructor of an algorithm.
-- @string where its name
-- @tparam function serve (peer, center, buffers, sendAll, receiveAll) one exchange, at the server
-- @tparam function exchange (client, params, buffers, sendAll, receiveAll) one exchange, at a worker
-- @bool needsAlpha whether it has alpha
-- @treturn function
function parameterServer.new(where, serve, exchange, needsAlpha)
  return function(server, serverBroadcast, client, clientBroadcast, numNodes, nodeIndex, tau, alpha)
    check.int(where, 'numNodes', numNodes, { min = 1 })
    if nodeIndex ~= nil then check.int(where, 'nodeIndex', nodeIndex, { min = 0, max = numNodes }) end
    check.int(where, 'tau', tau, { min = 1 })
    if needsAlpha then check.number(where, 'alpha', alpha, { min = 0, max = 1 }) end
    local self, center, buffers, step = {}, nil, nil, 0

    local function begin(name, params)
      local list = leaves.list(('%s: %s'):format(where, name), 'params', params)
      buffers = buffers or leaves.clones(list)
      check.that(#list == #buffers, ('%s: %s: params: %d tensors, expected %d as in the first call'):format(where, name, #list, #buffers))
      return list
    end

    function self.initServer(params)
      needs(where, 'initServer', 'serverBroadcast', serverBroadcast, 'ipc.server')
      center = begin('initServer', params)
      for _, x in ipairs(center) do serverBroadcast:broadcast(x) end
    end

    function self.syncServer(params)
      needs(where, 'syncServer', 'server', server, 'a list of ipc.servers')
      needs(where, 'syncServer', 'serverBroadcast', serverBroadcast, 'ipc.server')
      center = begin('syncServer', params)
      local request = nextRequest(serverBroadcast, center)
      if request == nil then return false end
      if type(request) ~= 'number' or not server[request] then
        check.raise(('%s: syncServer: a request %s, expected the number of a worker'):format(where, tostring(request)))
      end
      server[request]:clients(1, function(peer) serve(peer, center, buffers, sendAll, receiveAll) end)
      return true
    end

    local function initFromServer(name, params)
      needs(where, name, 'clientBroadcast', clientBroadcast, 'ipc.client')
      local list = begin(name, params)
      receiveAll(clientBroadcast, list)
      leaves.copy(buffers, list)
    end

    function self.initClient(params) initFromServer('initClient', params) end
    function self.initTester(params) initFromServer('initTester', params) end

    function self.syncClient(params)
      needs(where, 'syncClient', 'client', client, 'ipc.client')
      needs(where, 'syncClient', 'clientBroadcast', clientBroadcast, 'ipc.client')
      check.int(where .. ': syncClient', 'nodeIndex', nodeIndex, { min = 1, max = numNodes })
      local list = begin('syncClient', params)
      step = step + 1
      if step % tau ~= 0 then return end
      clientBroadcast:send(nodeIndex)
      exchange(client, list, buffers, sendAll, receiveAll, alpha)
    end

    function self.testNet(params)
      needs(where, 'testNet', 'clientBroadcast', clientBroadcast, 'ipc.client')
      local list = begin('testNet', params)
      clientBroadcast:send(testers)
      if not clientBroadcast:recv() then return false end
      receiveAll(clientBroadcast, list)
      return true
    end

    return self
  end
end

return parameterServer
