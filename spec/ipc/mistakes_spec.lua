-- Wrong calls of ipc and distlearn: each is one error at the program's line that names function, argument, what came and what was expected.
local torch, ipc = require 'torch', require 'ipc'

local server, port = ipc.server()
local client = ipc.client(port)
local peer
server:clients(1, function(one) peer = one:_keep() end)
local names = setmetatable({ torch = torch, ipc = ipc, server = server, port = port, client = client, peer = peer,
  queue = ipc.workqueue(), channel = ipc.channel(), mutex = ipc.mutex(), marshal = ipc.marshal(1), tree = require 'ipc.NullTree'(),
  T = torch.ones(2), thread = coroutine.create(print) }, { __index = _G })

-- { code, a part of the message }
local rows = {
  { 'ipc.server({})', 'ipc.server: host: a table' }, { "ipc.server(nil, 'x')", "ipc.server: port: 'x'" },
  { 'ipc.server(nil, -1)', 'ipc.server: port: -1' }, { 'ipc.server(nil, 0, 3)', 'ipc.server: options: 3' },
  { 'ipc.server(nil, 0, { secrt = 1 })', 'ipc.server: options: secrt' }, { "ipc.server(nil, 0, { wait = 'x' })", "ipc.server: wait: 'x'" },
  { 'ipc.client()', 'ipc.client: port: nil' }, { "ipc.client(nil, 'x')", "ipc.client: port: 'x'" },
  { 'ipc.client(1.5)', 'ipc.client: port: 1.5' },
  { 'ipc.client(port, 3)', 'ipc.client: host: ' }, { 'ipc.client(port, { x = 1 })', 'ipc.client: options: x' },
  { 'client.send(1)', 'send: self: 1, expected an ipc.Client' }, { 'client:send(print)', 'ipc.client: send: message: a function' },
  { 'client:send { { thread } }', 'ipc.client: send: message.1.1: a thread' }, { "client:recv('x')", 'ipc.client: recv: tensor: string' },
  { 'client.close()', 'close: self: nil' }, { 'server:clients()', 'ipc.server: clients: f: nil' },
  { 'server:clients(-1, print)', 'ipc.server: clients: n: -1' }, { 'server:clients(1, 3)', 'ipc.server: clients: f: number' },
  { 'server:clients(print, {})', 'ipc.server: clients: tag: a table' },
  { "server:clients(print, nil, 'x')", "ipc.server: clients: invert: 'x'" },
  { 'server.clients(1, print)', 'clients: self: 1' }, { 'server:broadcast(print)', 'ipc.server: broadcast: message: a function' },
  { 'server:broadcast(1, {})', 'ipc.server: broadcast: tag: a table' }, { 'server:recvAny({})', 'ipc.server: recvAny: tag: a table' },
  { "server:recvAny('nobody')", 'ipc.server: recvAny: no client has joined' },
  { 'peer:send(print)', 'ipc.server: send: message: a function' },
  { "peer:id('x')", "ipc.server: id: n: 'x'" }, { 'peer:tag({})', 'ipc.server: tag: tag: a table' },
  { 'peer.address()', 'address: self: nil' },
  { 'ipc.map()', 'ipc.map: n: nil' }, { 'ipc.map(2)', 'ipc.map: f: nil' }, { 'ipc.map(0, print)', 'ipc.map: n: 0' },
  { 'ipc.map(1, function() end, 5, thread)', 'ipc.map: argument 2: a coroutine' },
  { 'ipc.map_extended(1, 3, print)', 'ipc.map_extended: init: number' }, { 'ipc.map(1, function() end).join()', 'join: self: nil' },
  { 'ipc.workqueue({})', 'ipc.workqueue: name: a table' }, { "ipc.workqueue('n', 'x')", "ipc.workqueue: size: 'x'" },
  { 'queue:write(1, thread)', 'ipc.workqueue: write: argument 2: value 1: a coroutine' }, { 'queue.read()', 'read: self: nil' },
  { 'channel:write(thread)', 'ipc.channel: write: argument 1: value 1: a coroutine' }, { 'channel.close()', 'close: self: nil' },
  { 'mutex:unlock()', 'ipc.mutex: unlock: this thread does not have the lock' }, { "mutex:barrier('x')", "ipc.mutex: barrier: n: 'x'" },
  { 'mutex.lock()', 'lock: self: nil' }, { 'ipc.marshal()', 'ipc.marshal: must provide object' },
  { 'ipc.marshal(thread)', 'ipc.marshal: value 1: a coroutine' }, { 'marshal.read()', 'read: self: nil' },
  { "require 'ipc.Tree'()", 'ipc.Tree: numNodes: nil' }, { "require 'ipc.Tree'(1, 2, 0, server)", 'ipc.Tree: base: 0' },
  { "require 'ipc.Tree'(3, 2, 2, server)", 'ipc.Tree: nodeIndex: expected 1' },
  { "require 'ipc.Tree'(1, 2, 2)", 'ipc.Tree: server, client: nil' },
  { "require 'ipc.Tree'(1, 1, 2, client)", 'ipc.Tree: server: ' }, { "require 'ipc.Tree'(2, 2, 2, nil, server)", 'ipc.Tree: client: ' },
  { "require 'ipc.Tree'(5, 2, 2, nil, client)", 'ipc.Tree: nodeIndex: 5' },
  { "require 'ipc.LocalhostTree'(1)", 'ipc.LocalhostTree: numNodes: nil' },
  { "require 'ipc.LocalhostTree'(3, 2)", 'ipc.LocalhostTree: nodeIndex: 3' },
  { "require 'ipc.LocalhostTree'(1, 2, {})", 'ipc.LocalhostTree: ppid: a table' },
  { "require 'ipc.StaticTree'(1, 2, 'h')", 'ipc.StaticTree: rootHost: nil' },
  { "require 'ipc.StaticTree'(2, 2, nil, 0, '127.0.0.1', 'x')", "ipc.StaticTree: rootPort: 'x'" },
  { "require 'ipc.StaticTree'(2, 2, nil, 0, '127.0.0.1', 1, { wait = 0 })", 'no server at 127.0.0.1:1 within 0 seconds' },
  { "require 'ipc.DiscoveredTree'(1, 2, nil, 0)", 'ipc.DiscoveredTree: publish: nil' },
  { "require 'ipc.DiscoveredTree'(2, 2, nil, 0, print)", 'ipc.DiscoveredTree: query: nil' },
  { 'tree.allReduce(3, 4)', 'ipc: allReduce: reduce: number' }, { 'tree.walkTable({ 1, x = 2 }, print)', 'ipc.utils: walkTable: t: a key' },
  { 'tree.walkTable({ 1 }, 3)', 'ipc.utils: walkTable: f: number' },
  { "require 'distlearn.AllReduceSGD'(3)", 'distlearn.AllReduceSGD: tree: 3' },
  { "require 'distlearn.AllReduceSGD'({})", 'distlearn.AllReduceSGD: tree: a table' },
  { "require 'distlearn.AllReduceSGD'(tree).sumGradients(3)", 'distlearn.AllReduceSGD: sumGradients: grads: number' },
  { "require 'distlearn.AllReduceSGD'(tree).synchronizeParameters()", 'distlearn.AllReduceSGD: synchronizeParameters: params: nil' },
  { "require 'distlearn.AllReduceEA'(tree)", 'distlearn.AllReduceEA: tau: nil' },
  { "require 'distlearn.AllReduceEA'(tree, 1, 2)", 'distlearn.AllReduceEA: alpha: 2' },
  { "require 'distlearn.AllReduceEA'(tree, 1, 0.5).averageParameters(3)", 'distlearn.AllReduceEA: averageParameters: params: number' },
  { "require 'distlearn.Downpour'()", 'distlearn.Downpour: numNodes: nil' },
}

describe('ipc', function()
  for _, row in ipairs(rows) do
    it('refuses ' .. row[1], function()
      local chunk = assert(loadstring('return nil, ' .. row[1], '=program'))
      local good, problem = pcall(setfenv(chunk, names))
      assert.is_false(good)
      assert.truthy(problem:find('^program:1: '), problem)
      assert.truthy(problem:find(row[2], 1, true), problem)
    end)
  end

  it('goes on afterwards', function()
    client:send 'still here'
    assert.equal('still here', peer:recv())
    names.channel:write(5)
    assert.same({ ipc.channel.OPEN, 5 }, { names.channel:read() })
    client:close()
    server:close()
  end)
end)
