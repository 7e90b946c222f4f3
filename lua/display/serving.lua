--- The server of display's page, step by step.
-- It delivers only its page, stores nothing, and forwards each message posted to /events to the open pages. It rejects requests from
-- pages of other sites.
-- @module display.serving
local sockets, http, page = require 'torch.sockets', require 'display.http', require 'display.page'
local newConnection = require 'display.connection'

local mostConnections = 64
local patience = 30                 -- seconds to receive a request or send an answer
local pulse = 15                    -- seconds between comments on streams of events, which detect closed browsers

local Server = {}
Server.__index = Server

local function shown(request) return (('%s %s'):format(request.method, request.path):gsub('[^\32-\126]', '?')) end

-- A message as an event; each of its lines is a line of data.
local function eventOf(body) return 'data: ' .. body:gsub('\r\n?', '\n'):gsub('\n', '\ndata: ') .. '\n\n' end

local function endWith(connection, ...)
  connection.ends = true
  return connection:put(http.answer(...))
end

function Server:passOn(body)
  local event = eventOf(body)
  for fd, connection in pairs(self.connections) do
    if connection.streams and not connection:put(event) then self:drop(fd) end
  end
end

function Server:onEvents(connection, request)
  if request.method == 'GET' then
    connection.streams = true
    return connection:put(http.head(200, 'text/event-stream') .. ':\n\n')
  end
  if request.method ~= 'POST' then return endWith(connection, 405, 'Method not allowed!') end
  self:passOn(request.body)
  return endWith(connection, 200, '')
end

function Server:handle(connection, request)
  self.log(shown(request))
  if not http.isOurs(request.fields, self.host) then return endWith(connection, 403, 'Forbidden: another site\'s name or page') end
  if request.path:match '^[^?#]*' == '/events' then return self:onEvents(connection, request) end
  if request.method ~= 'GET' then return endWith(connection, 405, 'Method not allowed!') end
  local body, kind = page(request.path)
  if not body then return endWith(connection, 404, 'Not found!') end
  return endWith(connection, 200, body, kind)
end

function Server:drop(fd)
  local connection = self.connections[fd]
  if not connection then return end
  self.connections[fd], self.count = nil, self.count - 1
  connection:close()
end

function Server:accept(now)
  while self.count < mostConnections do
    local fd = sockets.accept(self.fd)
    if not fd then return end
    self.connections[fd], self.count = newConnection(fd, now), self.count + 1
  end
end

-- Whether the connection stays open.
function Server:serve(connection, ready, now)
  if ready.reads then
    if not connection:read(now) then return false end
    if not connection.streams and not connection.ends then
      local request, status = connection:request()
      if status then endWith(connection, status, 'Refused!') end
      if request and not self:handle(connection, request) then return false end
    end
  end
  return connection:write(now)
end

function Server:sweep(now)
  for fd, connection in pairs(self.connections) do
    local idle = now - connection.active
    local isAlive = idle <= patience
    if isAlive and connection.streams and idle > pulse and not connection:writes() then
      isAlive = connection:put ':\n\n' and connection:write(now)
    end
    if not isAlive then self:drop(fd) end
  end
end

--- Waits for requests, answers them, and returns.
-- @number seconds maximum wait
function Server:step(seconds)
  local list = { self.count < mostConnections and { fd = self.fd } or nil }
  for fd, connection in pairs(self.connections) do list[#list + 1] = { fd = fd, writes = connection:writes() } end
  local ready, now = sockets.wait(list, seconds), self.clock()
  for fd, events in pairs(ready) do
    local connection = self.connections[fd]
    if connection and not self:serve(connection, events, now) then self:drop(fd) end
  end
  if ready[self.fd] then self:accept(now) end
  self:sweep(now)
end

--- Closes all connections and stops listening.
function Server:close()
  for fd in pairs(self.connections) do self:drop(fd) end
  sockets.close(self.fd)
end

local server = {}

--- Starts to listen.
-- @string host
-- @int port 0 for any free one
-- @tparam function log is called with a line for each request
-- @treturn table with the methods step(seconds) and close(), and the field port
-- @raise if it can't listen there
function server.open(host, port, log)
  local fd, found = sockets.listen(host, port)
  if not fd then error(('display.server: port %d of %s: %s'):format(port, host, found), 0) end
  local clock = require('sys').clock
  return setmetatable({ fd = fd, host = host, port = found, log = log, connections = {}, count = 0, clock = clock }, Server)
end

return server
