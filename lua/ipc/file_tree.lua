--- Trees whose root leaves its address, and a secret, in a file that only the user can read.
-- @module ipc.file_tree
local ipc, meeting, newTree = require 'ipc', require 'ipc.meeting', require 'ipc.Tree'

local base = 2
local patience = 10      -- seconds for proofs of the secret: another program may listen at the port that an earlier run has left

-- The file says where the root listens already, so one attempt suffices.
local function connected(where, port, key)
  local good, client = pcall(ipc.client, where, port, { secret = key, wait = 0, timeout = patience })
  if not good then return end
  client:_setTimeout(nil)
  return client
end

--- Joins a binary tree.
-- @string path of the file
-- @string host the address of this node
-- @int nodeIndex 1 for the root
-- @int numNodes 2 or more
-- @treturn table as of `ipc.Tree`
return function(path, host, nodeIndex, numNodes)
  if nodeIndex > 1 then return newTree(nodeIndex, numNodes, base, nil, meeting.find(path, connected), host) end
  local key = meeting.newSecret()
  local server, port = ipc.server(host, 0, { secret = key })
  meeting.write(path, host, port, key)
  local good, tree = pcall(newTree, 1, numNodes, base, server, nil, host)
  meeting.remove(path)
  if not good then error(tree, 0) end
  return tree
end
