--- One connection of the server: received and pending data.
-- @module display.connection
local sockets, http = require 'torch.sockets', require 'display.http'

local Connection = {}
Connection.__index = Connection

-- A page with more pending bytes, because it reads too slowly, is dropped.
local mostWaiting = 4 * http.bodyBytes

--- @int fd
-- @number now seconds
local function new(fd, now)
  return setmetatable({ fd = fd, parts = {}, came = 0, output = {}, first = 1, last = 0, sent = 0, waiting = 0, active = now }, Connection)
end

--- Reads available data, and stores at most the size of a request.
-- @number now seconds
-- @treturn bool whether the connection is still open
function Connection:read(now)
  local text, why = sockets.receive(self.fd)
  if not text then return why == 'again' end
  if text == '' then return false end
  self.active = now
  if self.streams or self.ends then return true end       -- data after a request is not read
  self.parts[#self.parts + 1] = text
  self.came = self.came + #text
  return true
end

--- The request, when it is complete.
-- @treturn ?table with its body; nil while it is incomplete
-- @treturn ?int the status to reject it with
function Connection:request()
  if not self.head then
    local text = table.concat(self.parts)
    self.parts = { text }
    local status
    self.head, status = http.parse(text)
    if not self.head then return nil, status end
  end
  if self.came < self.head.first - 1 + self.head.length then return nil end
  self.head.body = table.concat(self.parts):sub(self.head.first, self.head.first - 1 + self.head.length)
  self.parts = {}
  return self.head
end

--- Appends a text to the pending data.
-- @string text
-- @treturn bool whether the connection is still open
function Connection:put(text)
  self.last = self.last + 1
  self.output[self.last] = text
  self.waiting = self.waiting + #text
  return self.waiting <= mostWaiting
end

--- Writes as much pending data as possible.
-- @number now seconds
-- @treturn bool whether the connection is still open
function Connection:write(now)
  while self.output[self.first] do
    local text = self.output[self.first]
    local sent, why = sockets.send(self.fd, text, self.sent)
    if not sent then return why == 'again' end
    self.active = now
    self.waiting, self.sent = self.waiting - (sent - self.sent), sent
    if sent == #text then
      self.output[self.first], self.first, self.sent = nil, self.first + 1, 0
    end
  end
  return not self.ends
end

--- Whether data is pending.
function Connection:writes() return self.output[self.first] ~= nil end

--- Closes the connection.
function Connection:close() sockets.close(self.fd) end

return new
