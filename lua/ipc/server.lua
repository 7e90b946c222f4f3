--- Servers: they listen at one address, and exchange messages with clients that have joined.
-- @classmod ipc.Server
local ffi = require 'ffi'
local check, sockets = require 'torch.check', require 'torch.sockets'
local now = require('torch.clock').monotonic
local joining, peer, Stream = require 'ipc.joining', require 'ipc.peer', require 'ipc.stream'

local Server = {}
Server.__index = Server

local patience, slice = 300, 0.1      -- seconds to wait for clients; between two looks for an interrupt
local mostJoining, joiningTime = 64, 10      -- connections that have not joined, and the seconds that they have for it

--- A client in a call of the server's.
-- @type ServerClient
local ServerClient = {}
ServerClient.__index = ServerClient

local function joined(self, where)
  if not self._client or not self._client.stream.fd then
    check.raise(('%s: server client is invalid, either closed or used outside of server function scope'):format(where))
  end
  return self._client
end

--- Sends a message to the client.
-- @param x as of a client's `send`
function ServerClient:send(x) peer.send('ipc.server: send', joined(self, 'ipc.server: send').stream, x, self._options) end

--- Waits for a message of the client.
-- @tparam[opt] torch.Tensor|torch.Storage into as of a client's `recv`
-- @return the message
function ServerClient:recv(into)
  return peer.receive('ipc.server: recv', joined(self, 'ipc.server: recv').stream, into, self._options)
end

--- Returns the client's number, 0 at first; `server:clients` goes in the order of these.
-- @int[opt] n sets it
-- @treturn int
function ServerClient:id(n)
  local client = joined(self, 'ipc.server: id')
  if n ~= nil then client.id = check.number('ipc.server: id', 'n', n) end
  return client.id
end

--- Returns the client's tag, nil at first; `server:clients` and other calls choose clients by these.
-- @string[opt] tag sets it
-- @treturn ?string
function ServerClient:tag(tag)
  local client = joined(self, 'ipc.server: tag')
  if tag ~= nil then client.tag = check.text('ipc.server: tag', 'tag', tag) end
  return client.tag
end

--- Returns the client's address.
-- @treturn string in digits
function ServerClient:address() return sockets.peer(joined(self, 'ipc.server: address').stream.fd) end

--- Closes the connection.
function ServerClient:close() joined(self, 'ipc.server: close').stream:close() end

check.methods(ServerClient, 'a client of an ipc.server')

-- An object that stays valid, for trees.
function ServerClient:_keep() return setmetatable({ _client = self._client, _options = self._options }, ServerClient) end

local function handle(self, client) return setmetatable({ _client = client, _options = self._options }, ServerClient) end

-- What a connection still has to send before it has joined: its greeting, then its proof.
local function expects(self, entry) return entry.clients and self._secret and joining.proofSize or joining.greetingSize end

-- Goes on with a connection whose bytes are complete. Returns whether it has joined; raises why it may not.
local function advance(self, entry, text)
  if not entry.clients then
    local problem = joining.problem(text, self._secret)
    if problem then error(problem, 0) end
    entry.clients, entry.got = text, ''
    return not self._secret
  end
  if not joining.same(text, joining.proof(self._secret, 'client', entry.clients, entry.greeting)) then error('the secrets differ', 0) end
  entry.stream:write(joining.proof(self._secret, 'server', entry.clients, entry.greeting), joining.proofSize, joiningTime)
  return true
end

-- Reads what a connection has sent; it may send no more than it has to, and never waits. Returns whether it has joined.
local function pump(self, entry, bytes)
  while true do
    local missing = expects(self, entry) - #entry.got
    local count, problem = sockets.receiveInto(entry.stream.fd, bytes, missing)
    if not count and problem == 'again' then return false end
    if not count or count == 0 then error('it has left', 0) end
    entry.got, entry.stream.rx = entry.got .. ffi.string(bytes, count), entry.stream.rx + count
    if count == missing and advance(self, entry, entry.got) then return true end
  end
end

local room = math.max(joining.greetingSize, joining.proofSize)

-- Accepts connections, and lets those that wait join. Those that may not are closed; they don't disturb the others.
local function look(self, seconds)
  local list = { { fd = self._fd } }
  for _, entry in ipairs(self._joining) do list[#list + 1] = { fd = entry.stream.fd } end
  sockets.wait(list, seconds)
  local fd = sockets.accept(self._fd)
  while fd do
    local stream, greeting = Stream.new(fd), joining.greeting(self._secret)
    if #self._joining >= mostJoining or not pcall(stream.write, stream, greeting, joining.greetingSize, joiningTime) then
      stream:close()
    else
      table.insert(self._joining, { stream = stream, greeting = greeting, got = '', limit = now() + joiningTime })
    end
    fd = sockets.accept(self._fd)
  end
  local kept, bytes = {}, ffi.new('uint8_t[?]', room)
  for _, entry in ipairs(self._joining) do
    local good, isIn = pcall(pump, self, entry, bytes)
    if good and isIn then
      table.insert(self._clients, { stream = entry.stream, id = 0 })
    elseif good and now() < entry.limit then
      kept[#kept + 1] = entry
    else
      entry.stream:close()
    end
  end
  self._joining = kept
end

-- Removes the clients whose connection is closed.
local function tidy(self)
  local kept = {}
  for _, client in ipairs(self._clients) do
    if client.stream.fd then
      kept[#kept + 1] = client
    else
      self._tx, self._rx = self._tx + client.stream.tx, self._rx + client.stream.rx
    end
  end
  self._clients = kept
end

local function open(self, where)
  if not self._fd then check.raise(where .. ': the server is closed') end
  tidy(self)
end

-- Clients of a tag, or all, by ascending numbers; those of one number in the order in which they have joined.
local function chosen(self, tag, inverted)
  local list, places = {}, {}
  for i, client in ipairs(self._clients) do
    if tag == nil or client.tag == tag then list[#list + 1] = client end
    places[client] = i
  end
  table.sort(list, function(a, b)
    if a.id ~= b.id then
      if inverted then return a.id > b.id end
      return a.id < b.id
    end
    return places[a] < places[b]
  end)
  return list
end

local function gather(self, count)
  local limit = now() + (self._options.wait or self._options.timeout or patience)
  while true do
    tidy(self)
    if #self._clients >= count then return end
    if now() > limit then
      check.raise(('ipc.server: clients: server timed out waiting for clients to connect: %d of %d'):format(#self._clients, count))
    end
    look(self, slice)
  end
end

--- Calls f(client) for each client, by ascending numbers (`client:id`). The objects are valid during the call.
-- @function Server:clients
-- @int[opt] n waits until so many clients have joined, at most for the server's `wait`
-- @tparam function f
-- @string[opt] tag without n: only clients with this tag
-- @number[opt=0] invert without n: 1 goes by descending numbers
-- @treturn int the number of clients
function Server:clients(n, f, ...)
  local tag, invert
  if type(n) == 'number' then
    check.int('ipc.server: clients', 'n', n, { min = 0 })
  else
    n, f, tag, invert = nil, n, f, ...
  end
  check.callable('ipc.server: clients', 'f', f)
  if tag ~= nil then check.text('ipc.server: clients', 'tag', tag) end
  if invert ~= nil and type(invert) ~= 'boolean' then check.number('ipc.server: clients', 'invert', invert) end
  open(self, 'ipc.server: clients')
  if n then gather(self, n) end
  local list = chosen(self, tag, invert and invert ~= 0)
  for _, client in ipairs(list) do
    local object = handle(self, client)
    local good, problem = pcall(f, object)
    object._client = nil
    if not good then error(problem, 0) end
  end
  return #list
end

--- Sends a message to all clients, or to those with a tag.
-- @param x as of a client's `send`
-- @string[opt] tag
function Server:broadcast(x, tag)
  if tag ~= nil then check.text('ipc.server: broadcast', 'tag', tag) end
  open(self, 'ipc.server: broadcast')
  for _, client in ipairs(chosen(self, tag)) do peer.send('ipc.server: broadcast', client.stream, x, self._options) end
end

--- Waits for the first message of any client, or of one with a tag. New clients join meanwhile.
-- @string[opt] tag
-- @return the message
-- @treturn ServerClient the sender; valid until the next `recvAny`
-- @raise if that client has closed, or there is none
function Server:recvAny(tag)
  if tag ~= nil then check.text('ipc.server: recvAny', 'tag', tag) end
  open(self, 'ipc.server: recvAny')
  if self._any then self._any._client = nil end
  while true do
    local list, polled = chosen(self, tag), { { fd = self._fd } }
    if #list == 0 then check.raise 'ipc.server: recvAny: no client has joined, expected one or more' end
    for i, client in ipairs(list) do polled[i + 1] = { fd = client.stream.fd } end
    local ready = sockets.wait(polled, slice)
    if ready[self._fd] or #self._joining > 0 then look(self, 0) end
    for i = 1, #list do
      local client = list[(self._turn + i) % #list + 1]
      if ready[client.stream.fd] then
        self._turn = (self._turn + i) % #list
        local x = peer.receive('ipc.server: recvAny', client.stream, nil, self._options)
        self._any = handle(self, client)
        return x, self._any
      end
    end
  end
end

--- Returns the bytes sent to and received from all clients so far.
-- @treturn table `tx`, `rx`
function Server:netStats()
  local tx, rx = self._tx, self._rx
  for _, client in ipairs(self._clients) do tx, rx = tx + client.stream.tx, rx + client.stream.rx end
  return { tx = tx, rx = rx }
end

-- Stops listening, without closing the clients, which objects of `_keep` have.
function Server:_leave()
  self._clients = {}
  self:close()
end

--- Closes all connections, and stops listening.
function Server:close()
  if not self._fd then return end
  for _, list in ipairs { self._clients, self._joining } do
    for _, entry in ipairs(list) do entry.stream:close() end
  end
  tidy(self)
  self._joining = {}
  sockets.close(self._fd)
  self._fd = nil
  self._owner[0] = -1
end

check.methods(Server, 'an ipc.server')

--- Listens for clients at one address of this machine, and at no other.
-- @string[opt='127.0.0.1'] host
-- @int[opt=0] port 0 for any free one
-- @tparam[opt] table options `secret`: a string that clients must have, too; `wait`: the longest wait for clients in seconds, `timeout` or
-- 300 by default; `timeout`: the longest pause of a client, without end by default; `limit`: the most bytes of a message, 4 GB by default
-- @treturn ipc.Server
-- @treturn int the port
return function(host, port, options)
  if type(host) == 'number' and port == nil then host, port = nil, host end
  host = check.name('ipc.server', 'host', host or '127.0.0.1')
  port = check.int('ipc.server', 'port', tonumber(port or 0) or port, { min = 0, max = 65535 })
  options = peer.check('ipc.server', options)
  local fd, found = sockets.listen(host, port)
  if not fd then check.raise(('ipc.server: cannot listen at %s:%d: %s'):format(host, port, found)) end
  local made = setmetatable({ _fd = fd, _owner = sockets.owner(fd), _options = options, _secret = joining.secretOf(options), _clients = {},
    _joining = {}, _turn = 0, _tx = 0, _rx = 0 }, Server)
  return made, found
end
