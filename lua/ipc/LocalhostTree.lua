--- Trees of processes on one machine: `require 'ipc.LocalhostTree'(nodeIndex, numNodes)`, for processes that one shell script starts.
-- The root listens at 127.0.0.1, and leaves its port and a secret in the file PPID.localhost of the temporary folder, which only the user
-- can read.
-- @module ipc.LocalhostTree
local check = require 'torch.check'
local fileTree, nodes, system = require 'ipc.file_tree', require 'ipc.nodes', require 'ipc.system'

local host = '127.0.0.1'

--- Joins a binary tree of the processes of one parent.
-- @function ipc.LocalhostTree
-- @int nodeIndex 1 for the root
-- @int numNodes 1: a tree of this process alone
-- @int[opt] ppid the process that has started all nodes, or any number that they share
-- @treturn table as of `ipc.Tree`
return function(nodeIndex, numNodes, ppid)
  local where = 'ipc.LocalhostTree'
  check.int(where, 'numNodes', numNodes, { min = 1 })
  check.int(where, 'nodeIndex', nodeIndex, { min = 1, max = numNodes })
  if ppid ~= nil then ppid = check.name(where, 'ppid', ppid) end
  if numNodes == 1 then return nodes.single() end
  return fileTree(('%s/%s.localhost'):format(os.getenv 'TMPDIR' or '/tmp', ppid or system.getppid()), host, nodeIndex, numNodes)
end
