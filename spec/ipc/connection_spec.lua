-- Servers and clients of ipc: messages, joining with and without a secret, and bytes that no process of ipc has sent.
local torch, ipc, sockets = require 'torch', require 'ipc', require 'torch.sockets'
local plainBytes = require 'torch.file.plain_bytes'
local joining, message = require 'ipc.joining', require 'ipc.message'

local server, port, client

-- Calls f with the server's end of the client.
local function atServer(f) return server:clients(1, f) end

local function connect(options)
  server, port = ipc.server('127.0.0.1', 0, options)
  client = ipc.client('127.0.0.1', port, options)
end

local function fails(expected, f, ...)
  local good, problem = pcall(f, ...)
  assert.is_false(good)
  assert.truthy(tostring(problem):find(expected, 1, true), tostring(problem))
end

after_each(function()
  if client then client:close() end
  if server then server:close() end
  client, server = nil, nil
end)

describe('ipc', function()
  it('is found by the names that programs use', function()
    assert.equal(require 'ipc', require 'libipc')
  end)

  it('sends values of all kinds, in order', function()
    connect()
    local values = { 1, 'two', true, false, { 3, x = { torch.IntTensor { 4, 5 } } }, torch.FloatStorage { 6, 7 },
      torch.LongTensor { 2 ^ 53 }, torch.DoubleTensor() }
    for _, value in ipairs(values) do client:send(value) end
    client:send(nil)
    atServer(function(peer)
      assert.equal('127.0.0.1', peer:address())
      assert.equal(1, peer:recv())
      assert.equal('two', peer:recv())
      assert.equal(true, peer:recv())
      assert.equal(false, peer:recv())
      local t = peer:recv()
      assert.equal(5, t[1] + 0 + t.x[1][1] - 2)
      local storage = peer:recv(torch.FloatStorage(2))
      assert.equal(7, storage[2])
      assert.equal(2 ^ 53, peer:recv()[1])
      assert.equal(0, peer:recv():nElement())
      assert.is_nil(peer:recv())
      peer:send 'done'
    end)
    assert.equal('done', client:recv())
    assert.is_nil(client:recvAsync())
    assert.equal(client:netStats().tx, server:netStats().rx)
  end)

  it('fills tensors in place, of any layout', function()
    connect()
    local x = torch.range(1, 6):view(2, 3)
    client:send(x)
    client:send(x:t())
    atServer(function(peer)
      local y = torch.DoubleTensor(3, 2):t()
      assert.equal(y, peer:recv(y))
      assert.equal(0, (y - x):abs():max())
      local z = torch.zeros(3, 4):narrow(2, 2, 2)
      peer:recv(z)
      assert.equal(0, (z - x:t()):abs():max())
    end)
    local long = torch.range(1, 60):long():view(3, 4, 5)      -- whose constructor reads a list of sizes as elements
    client:send(long)
    client:send(long)
    client:send(torch.LongTensor(0, 3))
    atServer(function(peer)
      assert.is_true(torch.equal(long, peer:recv()))
      assert.is_true(torch.equal(long, peer:recv(torch.LongTensor(5, 4, 3):transpose(1, 3))))
      assert.same({ 0, 3 }, peer:recv():size():totable())
    end)
  end)

  it('refuses tensors of other sizes and elements, and goes on', function()
    connect()
    for _ = 1, 6 do client:send(torch.ones(2, 3)) end
    client:send(torch.FloatStorage(4))
    client:send 'end'
    atServer(function(peer)
      fails('ipc.server: recv: local(4) and remote(3) size of dimension(2) mismatch', peer.recv, peer, torch.zeros(2, 4))
      fails('local(1) and remote(2) number of dimensions mismatch', peer.recv, peer, torch.zeros(6))
      fails('local(4) and remote(8) ELEMENT_SIZE mismatch', peer.recv, peer, torch.FloatTensor(2, 3))
      fails('local(Long) and remote(Double) type mismatch', peer.recv, peer, torch.LongTensor(2, 3))
      fails('can not receive a remote tensor', peer.recv, peer, torch.DoubleStorage(6))
      assert.equal(6, peer:recv(torch.zeros(2, 3)):sum())
      fails('local (3) and remote (4) storage size do not match', peer.recv, peer, torch.FloatStorage(3))
      fails('can not receive a remote string', peer.recv, peer, torch.zeros(1))
    end)
    fails('tensor: string, expected a tensor or a storage to receive into', client.recv, client, 'x')
  end)

  it('receives no functions', function()
    connect()
    fails('ipc.client: send: message.f: a function, expected values that torch.save accepts', client.send, client, { f = function() end })
    local write = plainBytes.write
    plainBytes.write = function(_, x)      -- as another program may send it
      local bytes = torch.serializeToStorage(x)
      return bytes, bytes:size()
    end
    client:send { f = function() end }
    plainBytes.write = write
    client:send(1)
    atServer(function(peer)
      fails('ipc.server: recv: damaged message', peer.recv, peer)
      assert.equal(1, peer:recv())
    end)
  end)

  it('chooses clients by numbers and tags', function()
    server, port = ipc.server()
    local clients = {}
    for i = 1, 3 do clients[i] = ipc.client(port):send(i) end
    assert.equal(3, server:clients(3, function(peer)
      local i = peer:recv()
      assert.equal(0, peer:id())
      peer:id(10 - i)
      assert.is_nil(peer:tag())
      peer:tag(i == 2 and 'even' or 'odd')
    end))
    local order = {}
    assert.equal(2, server:clients(function(peer) order[#order + 1] = peer:id() end, 'odd'))
    server:clients(function(peer) order[#order + 1] = peer:id() end, nil, 1)
    assert.equal('7 9 9 8 7', table.concat(order, ' '))
    server:broadcast('to the odd', 'odd')
    server:broadcast 'to all'
    assert.equal('to the odd', clients[1]:recv())
    assert.equal('to all', clients[2]:recv())
    clients[3]:send 'here'
    local text, from = server:recvAny()
    assert.equal('here', text)
    assert.equal(7, from:id())
    from:close()
    assert.equal(2, server:clients(function() end))
    for i = 1, 3 do clients[i]:close() end
  end)

  it('ends the objects of a callback with it', function()
    connect()
    local kept
    atServer(function(peer) kept = peer end)
    fails('server client is invalid, either closed or used outside of server function scope', kept.send, kept, 1)
  end)

  it('says that the other end has closed', function()
    connect()
    atServer(function(peer) peer:close() end)
    fails('remote peer disconnected', client.recv, client)
    fails('the client is closed', client.send, client, 1)
    fails('server timed out waiting for clients to connect: 0 of 1', function()
      server._options.timeout = 0.01
      atServer(function() end)
    end)
  end)

  it('listens at the given address alone', function()
    server, port = ipc.server('127.0.0.1', 0)
    assert.is_nil((sockets.connect('127.0.0.2', port, 1)))
    fails('ipc.server: cannot listen at 127.0.0.1:' .. port, ipc.server, '127.0.0.1', port)
    fails(('ipc.client: no server at 127.0.0.2:%d within 0 seconds: Connection refused'):format(port), ipc.client, '127.0.0.2', port,
      { timeout = 0 })
    fails('no server at 127.0.0.2:' .. port .. ' within 0.01 seconds', ipc.client, '127.0.0.2', port, { timeout = 60, wait = 0.01 })
    fails('no.such.host.invalid', ipc.client, 'no.such.host.invalid', port, { wait = 0 })      -- which the system may not know at once
    local options = { wait = 5 }
    client = ipc.client('127.0.0.1', port, options)
    client:_setTimeout(7)
    assert.same({ wait = 5 }, options)
  end)

  it('finds a server that starts after its client', function()
    server, port = ipc.server()
    server:close()
    local map = ipc.map(1, function(address) return require('ipc').client(address):recv() end, port)
    sockets.wait({}, 0.1)
    server = ipc.server('127.0.0.1', port)
    atServer(function(peer) peer:send 'at last' end)
    assert.equal('at last', map:join())
  end)

  it('lets processes join that know the secret', function()
    server, port = ipc.server('127.0.0.1', 0, { secret = 'open sesame' })
    local map = ipc.map(3, function(address, id)
      local good, made = pcall(require('ipc').client, nil, address, { secret = ({ 'open sesame', 'guess' })[id] })
      return good and select(2, pcall(made.recv, made)) or made
    end, port)
    assert.equal(1, server:clients(1, function(peer) peer:send 'welcome' end))
    local answers
    while true do
      server._options.timeout = 0.05
      pcall(server.clients, server, 2, function() end)      -- lets the others try
      if map._pool:isready() then
        map._pool:dojob()
      elseif not map._pool:hasjob() then
        break
      end
    end
    answers = { map:join() }
    assert.equal('welcome', answers[1])
    assert.truthy(answers[2]:find('ipc.client: the secrets differ', 1, true), answers[2])
    assert.truthy(answers[3]:find('the other end asks for a secret', 1, true), answers[3])
    assert.equal(1, server:clients(function() end))
  end)

  it('does not wait for connections that do not join', function()
    server, port = ipc.server()
    local idle = {}
    for i = 1, 40 do idle[i] = sockets.connect('127.0.0.1', port, 1) end
    sockets.send(idle[1], ('x'):rep(1000), 0)
    client = ipc.client(port)
    assert.equal(1, atServer(function(peer) peer:send 'you' end))
    assert.equal('you', client:recv())
    for _, fd in ipairs(idle) do sockets.close(fd) end
  end)
end)

-- The bytes of a message.
local function bytesOf(x)
  local parts = {}
  local stream = { write = function(_, from, n) parts[#parts + 1] = require('ffi').string(from, n) end }
  message.send(stream, x)
  return table.concat(parts)
end

-- What the server's end does with bytes of a client that has joined and then leaves.
local function receive(bytes)
  local fd = assert(sockets.connect('127.0.0.1', port, 1))
  local text = joining.greeting() .. bytes
  assert(sockets.send(fd, text, 0) == #text)
  local good, value
  atServer(function(peer)
    sockets.close(fd)
    repeat good, value = pcall(peer.recv, peer) until not good
    pcall(peer.close, peer)
  end)
  return value
end

describe('bytes on a socket of ipc', function()
  local samples = { { 1, 'two', x = torch.ones(2, 3) }, torch.FloatTensor(3, 2):fill(1), torch.LongStorage { 1, 2, 3 }, 'text' }

  before_each(function() server, port = ipc.server('127.0.0.1', 0, { limit = 2 ^ 16 }) end)

  it('are one error when they end early', function()
    for _, sample in ipairs(samples) do
      local bytes = bytesOf(sample)
      for n = 0, #bytes - 1, math.max(1, math.floor(#bytes / 40)) do
        assert.truthy(receive(bytes:sub(1, n)):find('ipc.server: recv: remote peer disconnected', 1, true))
      end
    end
  end)

  it('are errors when they are damaged', function()
    for _ = 1, 300 do
      local bytes = bytesOf(samples[torch.random(#samples)])
      for _ = 1, torch.random(3) do
        local at = torch.random(torch.random(2) == 1 and 40 or #bytes)
        bytes = bytes:sub(1, at - 1) .. string.char(torch.random(0, 255)) .. bytes:sub(at + 1)
      end
      assert.truthy(receive(bytes):find '^[^\n]*ipc%.server: recv: [^\n]+')
    end
  end)

  it('take no more memory than the limit', function()
    local header = '\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0' .. ('\0'):rep(16)
    assert.truthy(receive(header):find('4294967296 bytes, and the limit is 65536', 1, true))
    local huge = bytesOf(torch.ByteTensor(1)):sub(1, 32):gsub('^(.)(........)', '%1%2')
    assert.truthy(receive('\2\2\1' .. ('\0'):rep(5) .. '\0\0\0\0\0\0\1\0' .. huge:sub(17, 32) ..
      ('\0\0\0\0\1\0\0\0'):rep(1) .. '\0\0\1\0\0\0\0\0'):find('and the limit is 65536', 1, true))
  end)

  it('never run as code', function()
    local code = torch.serialize(function() _G.wasRun = true end)
    local bytes = '\1' .. ('\0'):rep(7) .. string.char(#code % 256, math.floor(#code / 256)) .. ('\0'):rep(22) .. code
    assert.truthy(receive(bytes):find('damaged message', 1, true))
    assert.is_nil(_G.wasRun)
  end)

  it('of clients for other threads are refused', function()
    client = ipc.client(port)
    assert.is_false((pcall(client.send, client, client)))
    assert.is_false((pcall(torch.serialize, ipc.channel())))
  end)
end)

describe('ipc.flock', function()
  it('gives the lock of a file to one holder', function()
    local name = os.tmpname()
    local lock = ipc.flock(name)
    assert.is_nil(ipc.flock(name, true))
    local map = ipc.map(1, function(file)      -- waits for it
      local mine = require('ipc').flock(file)
      mine:close()
      mine:close()
      return 'had it', require('ipc').gettid()
    end, name)
    lock:close()
    local said, thread = map:join()
    assert.equal('had it', said)
    assert.are_not.equal(ipc.gettid(), thread)
    ipc.flock(name, true):close()
    os.remove(name)
    assert.is_nil(ipc.flock(name, true))       -- there is no file
    fails('ipc.flock: file: /nonexistent/file: No such file', ipc.flock, '/nonexistent/file')
    fails('ipc.flock: file: nil, expected a string', ipc.flock)
    fails("ipc.flock: noblock: 'x', expected true or false", ipc.flock, name, 'x')
  end)

  it('knows the processes', function()
    local stat = io.open '/proc/self/stat'
    local pid, parent = stat:read '*a':match '^(%d+) .- %a (%d+)'
    stat:close()
    assert.equal(tonumber(pid), ipc.getpid())
    assert.equal(tonumber(parent), ipc.getppid())
    assert.equal(ipc.getpid(), ipc.gettid())
  end)
end)
