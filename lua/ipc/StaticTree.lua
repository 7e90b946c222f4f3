--- Trees at known addresses: `require 'ipc.StaticTree'(nodeIndex, numNodes, nodeHost, nodePort, rootHost, rootPort)`.
-- @module ipc.StaticTree
local check = require 'torch.check'
local newTree = require 'ipc.DiscoveredTree'

--- Joins a binary tree.
-- @function ipc.StaticTree
-- @int nodeIndex 1 for the root
-- @int numNodes
-- @string nodeHost the address of this node; the root's is rootHost
-- @int[opt=0] nodePort 0 for any free one; the root's is rootPort
-- @string rootHost
-- @int rootPort
-- @tparam[opt] table options as of `ipc.DiscoveredTree`
-- @treturn table as of `ipc.Tree`
return function(nodeIndex, numNodes, nodeHost, nodePort, rootHost, rootPort, options)
  local where = 'ipc.StaticTree'
  if numNodes ~= 1 then
    check.name(where, 'rootHost', rootHost)
    check.int(where, 'rootPort', rootPort, { min = 1, max = 65535 })
  end
  if nodeIndex == 1 then nodeHost, nodePort = rootHost, rootPort end
  return newTree(nodeIndex, numNodes, nodeHost, nodePort, function() end, function() return rootHost, rootPort end, options, where)
end
