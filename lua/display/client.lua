--- Sends messages to display's server. If the server doesn't run or answer, there is no error: the program continues without windows.
-- @module display.client
local sockets = require 'torch.sockets'

local client = {}

local patience = 10             -- seconds

local function partsOf(url)
  local rest = url:match '^http://(.+)$'
  local authority, path = (rest or ''):match '^([^/]+)(/?.*)$'
  local host, port = (authority or ''):match '^%[([%x:.]+)%]:?(%d*)$'
  if not host then host, port = (authority or ''):match '^([^:]+):?(%d*)$' end
  if not host then return nil end
  return host, port == '' and 80 or tonumber(port), path == '' and '/' or path, authority
end

--- Whether a text is a valid address for messages.
-- @string url
-- @treturn bool
function client.isAddress(url) return type(url) == 'string' and partsOf(url) ~= nil end

local function sendAll(fd, text)
  local sent = 0
  while sent < #text do
    sent = sockets.send(fd, text, sent)
    if not sent then return false end
  end
  return true
end

local function statusFrom(fd)
  local answer = ''
  while not answer:find '\r\n' do
    local text = sockets.receive(fd)
    if not text or text == '' then return nil end
    answer = answer .. text
  end
  return tonumber(answer:match '^HTTP/1%.%d (%d+)')
end

--- Sends a body by POST.
-- @string url 'http://HOST:PORT/PATH'
-- @string body
-- @treturn ?int the status of the answer; nil without an answer
function client.post(url, body)
  local host, port, path, authority = partsOf(url)
  if not host then return nil end
  local fd = sockets.connect(host, port, patience)
  if not fd then return nil end
  local head = ('POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/text\r\nContent-Length: %d\r\nConnection: close\r\n\r\n')
    :format(path, authority, #body)
  local status = sendAll(fd, head .. body) and statusFrom(fd) or nil
  sockets.close(fd)
  return status
end

return client
