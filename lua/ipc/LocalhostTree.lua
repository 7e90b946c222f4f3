--- Trees of processes on one machine: `require 'ipc.LocalhostTree'(nodeIndex, numNodes)`, for processes that one shell script starts.
-- The root listens at 127.0.0.1, and leaves its port and a secret in the file PPID.localhost of the temporary folder, which only the user
-- can read.
-- @module ipc.LocalhostTree
local ffi = require 'ffi'
local check = require 'torch.check'
local ipc, meeting, nodes, newTree = require 'ipc', require 'ipc.meeting', require 'ipc.nodes', require 'ipc.Tree'

ffi.cdef 'int mt_getppid(void) asm("getppid");'

local base, host = 2, '127.0.0.1'
local patience = 10      -- seconds for proofs of the secret: another program may listen at the port that an earlier run has left

-- The file says where the root listens already, so one attempt suffices.
local function connected(where, port, key)
  local good, client = pcall(ipc.client, where, port, { secret = key, wait = 0, timeout = patience })
  if not good then return end
  client:_setTimeout(nil)
  return client
end

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
  local path = ('%s/%s.localhost'):format(os.getenv 'TMPDIR' or '/tmp', ppid or ffi.C.mt_getppid())
  if nodeIndex > 1 then
    local client = meeting.find(path, connected)
    return newTree(nodeIndex, numNodes, base, nil, client, host)
  end
  local key = meeting.newSecret()
  local server, port = ipc.server(host, 0, { secret = key })
  meeting.write(path, host, port, key)
  local good, tree = pcall(newTree, 1, numNodes, base, server, nil, host)
  meeting.remove(path)
  if not good then error(tree, 0) end
  return tree
end
