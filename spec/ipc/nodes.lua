--- Runs a function as the nodes of a tree, in threads.
local ipc = require 'ipc'

local nodes = {}

-- Runs in a thread, or here. `server` is on the root only.
local function node(id, n, port, server, f, argument)
  local client = id > 1 and require('ipc').client(port) or nil
  local tree = require 'ipc.Tree'(id, n, 2, server, client, '127.0.0.1')
  return f(tree, argument)
end

--- @int n number of nodes
-- @tparam function f (tree, argument)
-- @param argument
-- @tparam function check (id, ...) is called with the results of each node
function nodes.run(n, f, argument, check)
  local server, port = ipc.server()
  local map = ipc.map(n - 1, function(id) return { node(id + 1, n, port, nil, f, argument) } end)
  local all = { { node(1, n, port, server, f, argument) }, map:join() }
  for id = 1, n do check(id, unpack(all[id])) end
  server:close()
end

return nodes
