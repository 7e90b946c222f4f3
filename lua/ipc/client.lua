--- Clients: connections to a server of another thread, process or machine.
-- @classmod ipc.Client
local torch, check, sockets = require 'torch', require 'torch.check', require 'torch.sockets'
local now = require('torch.clock').monotonic
local joining, peer, Stream = require 'ipc.joining', require 'ipc.peer', require 'ipc.stream'
local ipc = require 'ipc'

local Client = torch.class('ipc.Client', ipc)

local patience, pause = 10, 0.05      -- seconds to find the server; between two attempts

-- Connects; tries again while nothing listens there yet.
local function connect(host, port, seconds)
  local limit = now() + seconds
  while true do
    local fd, problem, isUnknown = sockets.connect(host, port, math.max(0.1, math.min(limit - now(), 5)))
    if fd then return fd end
    if isUnknown then error(('host: %s: %s'):format(host, problem), 0) end
    if now() >= limit then error(('no server at %s:%d within %g seconds: %s'):format(host, port, seconds, problem), 0) end
    sockets.wait({}, math.min(pause, math.max(0, limit - now())))
  end
end

-- Reads the server's greeting, and exchanges proofs.
local function join(self)
  if self._joined then return end
  local stream, key, options = self._stream, self._secret, self._options
  local seconds = options.timeout
  local servers = stream:text(joining.greetingSize, seconds)
  local problem = joining.problem(servers, key)
  if problem then
    stream:close()
    error(problem, 0)
  end
  if key then
    stream:write(joining.proof(key, 'client', self._greeting, servers), joining.proofSize, seconds)
    local good, theirs = pcall(stream.text, stream, joining.proofSize, seconds)
    if not good or not joining.same(theirs, joining.proof(key, 'server', self._greeting, servers)) then
      stream:close()
      error('the secrets differ', 0)
    end
  end
  self._joined = true
end

function Client:__init(fields)
  for name, value in pairs(fields) do self[name] = value end
end

-- Connects to a server.
local function new(host, port, options)
  local key = joining.secretOf(options)
  local self = Client { _options = options, _secret = key, _greeting = joining.greeting(key),
    _stream = Stream.new(connect(host, port, options.wait or options.timeout or patience)) }
  self._stream:write(self._greeting, joining.greetingSize)
  if key then join(self) end
  return self
end

local function open(self, where)
  if not self._stream.fd then check.raise(where .. ': the client is closed') end
  peer.call(where, join, self)
  return self._stream
end

--- Sends a message to the server.
-- @param x a tensor or a storage, for which the other end must have one of the same type and sizes, or none; or a value that torch.save
-- accepts, without functions
-- @treturn ipc.Client itself
function Client:send(x)
  if not self._stream.fd then check.raise 'ipc.client: send: the client is closed' end
  peer.send('ipc.client: send', self._stream, x, self._options)
  return self
end

--- Waits for a message of the server.
-- @tparam[opt] torch.Tensor|torch.Storage into is filled, and returned
-- @return the message
-- @raise if the message has other sizes or elements than `into`; if the server has closed: 'remote peer disconnected'
function Client:recv(into)
  return peer.receive('ipc.client: recv', open(self, 'ipc.client: recv'), into, self._options)
end

--- Returns a message that has come, without waiting for one.
-- @tparam[opt] torch.Tensor|torch.Storage into as of `recv`
-- @return the message, or nothing
function Client:recvAsync(into)
  if not self._stream:isReadable() then return end
  local stream = open(self, 'ipc.client: recvAsync')
  if not stream:isReadable() then return end
  return peer.receive('ipc.client: recvAsync', stream, into, self._options)
end

--- Returns the bytes sent and received so far.
-- @treturn table `tx`, `rx`
function Client:netStats() return { tx = self._stream.tx, rx = self._stream.rx } end

-- The options of another end of the same program.
function Client:_settings()
  return { secret = self._secret, timeout = self._options.timeout, limit = self._options.limit }
end

-- Sets the longest pause of the other end.
function Client:_setTimeout(seconds) self._options.timeout = seconds end

--- Closes the connection.
function Client:close() self._stream:close() end

-- In messages between threads: another descriptor of the socket. Not in files, which could name descriptors of their own.
function Client:__write(tape)
  check.that(not torch.isTypeOf(tape, 'torch.File'), 'ipc.Client: a client cannot be written to a file')
  if self._stream.fd and not self._joined then peer.call('ipc.Client', join, self) end
  tape:writeObject(self._stream.fd and sockets.duplicate(self._stream.fd) or false)
  tape:writeObject { options = self._options, secret = self._secret, stats = self:netStats() }
end

function Client:__read(tape)
  check.that(not torch.isTypeOf(tape, 'torch.File'), 'ipc.Client: a client cannot be read from a file')
  local fd, rest = tape:readObject(), tape:readObject()
  self._options, self._secret, self._joined = rest.options, rest.secret, true
  self._stream = Stream.new(fd or -1, rest.stats)
  if not fd then self._stream.fd = nil end
end

check.methods(Client, 'an ipc.Client')

--- Connects to a server. If nothing listens there yet, it tries again until `wait` seconds have passed.
-- @string[opt='127.0.0.1'] host
-- @int port
-- @tparam[opt] table options `secret`, a string that the server has, too; `wait`: the longest wait for the server in seconds, `timeout` or
-- 10 by default; `timeout`: the longest pause of the other end in other calls, which wait without end by default; `limit`: the most bytes
-- of a message, 4 GB by default
-- @treturn ipc.Client
-- @raise if no server has answered in time: its address and the seconds; if the system does not know the host; if the secrets differ
return function(host, port, options)
  if type(host) == 'number' and type(port) ~= 'number' then host, port, options = nil, host, port end
  check.that(type(host) ~= 'number', ('ipc.client: host: %s, expected a name or an address, before the port'):format(host))
  host = check.name('ipc.client', 'host', host or '127.0.0.1')
  port = check.int('ipc.client', 'port', tonumber(port) or port, { min = 1, max = 65535 })
  options = peer.check('ipc.client', options)
  return peer.call('ipc.client', new, host, port, options)
end
