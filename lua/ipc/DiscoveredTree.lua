--- Trees whose root says somewhere where it is: `require 'ipc.DiscoveredTree'(nodeIndex, numNodes, nodeHost, nodePort, publish, query)`.
-- @module ipc.DiscoveredTree
local check = require 'torch.check'
local ipc, nodes, newTree = require 'ipc', require 'ipc.nodes', require 'ipc.Tree'

local base = 2
local patience = 300      -- seconds until the root listens

-- Options with a wait for the root.
local function patient(options)
  if options ~= nil and (type(options) ~= 'table' or options.wait or options.timeout) then return options end
  local own = { wait = patience }
  for name, value in pairs(options or {}) do own[name] = value end
  return own
end

--- Joins a binary tree.
-- @function ipc.DiscoveredTree
-- @int nodeIndex 1 for the root
-- @int numNodes
-- @string nodeHost the address of this node
-- @int[opt=0] nodePort 0 for any free one
-- @tparam function publish (host, port) is called on the root when that listens
-- @tparam function query () returns on the others what the root has published
-- @tparam[opt] table options as of `ipc.client`; `wait` for the root is `timeout` or 300 seconds by default
-- @treturn table as of `ipc.Tree`
return function(nodeIndex, numNodes, nodeHost, nodePort, publish, query, options, where)
  where = where or 'ipc.DiscoveredTree'      -- another tree's name
  check.int(where, 'numNodes', numNodes, { min = 1 })
  check.int(where, 'nodeIndex', nodeIndex, { min = 1, max = numNodes })
  if numNodes == 1 then return nodes.single() end
  if nodeIndex == 1 then
    check.callable(where, 'publish', publish)
    local server, port = ipc.server(nodeHost, nodePort, options)
    publish(nodeHost or '127.0.0.1', port)
    return newTree(1, numNodes, base, server, nil, nodeHost, nodePort)
  end
  local host, port = check.callable(where, 'query', query)()
  return newTree(nodeIndex, numNodes, base, nil, ipc.client(host, port, patient(options)), nodeHost, nodePort)
end
