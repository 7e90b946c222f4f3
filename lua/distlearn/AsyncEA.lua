--- Asynchronous elastic averaging: workers and a server's center are pulled towards each other, one worker at a time.
-- `require 'distlearn.AsyncEA'(server, serverBroadcast, client, clientBroadcast, numNodes, nodeIndex, tau, alpha)`
-- Source: Zhang, Choromanska & LeCun (2015), "Deep learning with elastic averaging SGD", arXiv 1412.6651, algorithm 1.
-- @module distlearn.AsyncEA
local parameterServer = require 'distlearn.parameter_server'

local function serve(peer, center, buffers, sendAll, receiveAll)
  sendAll(peer, center)
  receiveAll(peer, buffers)
  for i, x in ipairs(center) do x:add(buffers[i]) end
end

-- delta = alpha (param - center); param -= delta; the server adds delta to the center.
local function exchange(client, params, buffers, sendAll, receiveAll, alpha)
  receiveAll(client, buffers)
  for i, x in ipairs(params) do
    buffers[i]:mul(-1):add(x):mul(alpha)
    x:add(-1, buffers[i])
  end
  sendAll(client, buffers)
end

--- Creates the functions of the server or of a worker.
-- @function distlearn.AsyncEA
-- @tparam ?{ipc.Server,...} server on the server: one with one client for each worker
-- @tparam ?ipc.Server serverBroadcast on the server: with all workers as clients
-- @tparam ?ipc.Client client on a worker: to `server[nodeIndex]`
-- @tparam ?ipc.Client clientBroadcast on a worker: to `serverBroadcast`
-- @int numNodes number of workers
-- @int nodeIndex of a worker, from 1; nil or 0 for others
-- @int tau local steps between two exchanges
-- @number alpha the part of a worker's distance to the center by which both move
-- @treturn table `initServer(params)` and, on each worker, `initClient(params)` copy the server's parameters to the workers.
-- `syncClient(params)`, at each step, exchanges on each tau-th call. `syncServer(params)` serves one exchange, and returns false when
-- all workers have closed. A process for tests is a further client of `serverBroadcast`: `initTester(params)` gets the parameters, as
-- `initClient` does; `testNet(params)` gets the present center, between two exchanges, and returns true, or false when all workers have
-- closed. params are the center on the server. Arguments are tensors or (nested) tables of them; functions are called with a dot
return parameterServer.new('distlearn.AsyncEA', serve, exchange, true)
