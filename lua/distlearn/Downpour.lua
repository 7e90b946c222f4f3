--- Downpour SGD: workers send what their steps have added up to, and get the parameters of all.
-- `require 'distlearn.Downpour'(server, serverBroadcast, client, clientBroadcast, numNodes, nodeIndex, tau)`
-- Source: Dean et al. (2012), "Large scale distributed deep networks", NeurIPS, section 4.1, with n_push = n_fetch = tau.
-- @module distlearn.Downpour
local parameterServer = require 'distlearn.parameter_server'

local function serve(peer, center, buffers, sendAll, receiveAll)
  receiveAll(peer, buffers)
  for i, x in ipairs(center) do x:add(buffers[i]) end
  sendAll(peer, center)
end

-- Between exchanges, buffers are the parameters that the worker has got last.
local function exchange(client, params, buffers, sendAll, receiveAll)
  for i, x in ipairs(params) do buffers[i]:mul(-1):add(x) end
  sendAll(client, buffers)
  receiveAll(client, params)
  for i, x in ipairs(params) do buffers[i]:copy(x) end
end

--- Creates the functions of the server or of a worker: those of `distlearn.AsyncEA`, without alpha.
-- @function distlearn.Downpour
-- @tparam ?{ipc.Server,...} server
-- @tparam ?ipc.Server serverBroadcast
-- @tparam ?ipc.Client client
-- @tparam ?ipc.Client clientBroadcast
-- @int numNodes
-- @int nodeIndex
-- @int tau local steps between two exchanges
-- @treturn table
return parameterServer.new('distlearn.Downpour', serve, exchange)
