--- Requests of HTTP/1.1 (RFC 9112) that display's server accepts, and its answers.
-- @module display.http
local http = {}

--- Maximum number of bytes in a request's head.
http.headBytes = 16384

--- Maximum number of bytes in a request's body.
http.bodyBytes = 32 * 2 ^ 20

local reasons = {
  [200] = 'OK', [400] = 'Bad Request', [403] = 'Forbidden', [404] = 'Not Found', [405] = 'Method Not Allowed', [411] = 'Length Required',
  [413] = 'Content Too Large', [431] = 'Request Header Fields Too Large',
}

-- Allows only scripts and styles in the page's files, and no requests to other servers: HTML in a text can't run code.
local policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; media-src data:; "
  .. "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

local always = table.concat({
  'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Referrer-Policy: no-referrer',
  'Cross-Origin-Resource-Policy: same-origin', 'Content-Security-Policy: ' .. policy,
}, '\r\n') .. '\r\n'

--- The head of an answer.
-- @int status
-- @string kind its media type
-- @int[opt] length of the body; without it the body extends to the end of the connection
-- @treturn string
function http.head(status, kind, length)
  local size = length and ('Content-Length: %d\r\nConnection: close\r\n'):format(length) or ''
  return ('HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%s%s\r\n'):format(status, reasons[status], kind, size, always)
end

--- An answer.
-- @int status
-- @string body
-- @string[opt='text/plain; charset=utf-8'] kind
-- @treturn string
function http.answer(status, body, kind)
  return http.head(status, kind or 'text/plain; charset=utf-8', #body) .. body
end

-- Fields that may occur only once.
local single = { host = true, origin = true, ['content-length'] = true, ['transfer-encoding'] = true }

local function readFields(text)
  local fields = {}
  for line in text:gmatch '([^\r\n]*)\r\n' do
    local name, value = line:match '^([%w!#$%%&\'*+.^_`|~-]+):[ \t]*(.-)[ \t]*$'
    if not name then return nil end
    name = name:lower()
    if fields[name] and single[name] then return nil end
    fields[name] = value
  end
  return fields
end

--- Reads a request's head.
-- @string text the received text
-- @treturn ?table method, path, fields by lower-case names, length of the body, and first, its position in the text; nil while the
-- head is incomplete
-- @treturn ?int the status to reject it with
function http.parse(text)
  local stop = text:find('\r\n\r\n', 1, true)
  if (stop or #text) > http.headBytes then return nil, 431 end
  if not stop then return nil end
  local method, path, first = text:match '^(%u+) ([^%s%c]+) HTTP/1%.[01]\r\n()'
  local fields = method and readFields(text:sub(first, stop + 1))
  if not fields then return nil, 400 end
  if fields['transfer-encoding'] then return nil, 411 end
  local length = fields['content-length'] or '0'
  if not length:find '^%d+$' then return nil, 400 end
  if #length > 12 or tonumber(length) > http.bodyBytes then return nil, 413 end
  return { method = method, path = path, fields = fields, length = tonumber(length), first = stop + 4 }
end

local function hostIn(authority)
  local name, port = authority:match '^(%[[%x:.]+%]):?(%d*)$'
  if not name then name, port = authority:match '^([^:/@]+):?(%d*)$' end
  return name and name:lower(), port
end

--- Whether a request is for this server, and comes from the server's page or from a program. A page of another site can make a browser
-- send requests here: through its domain name that resolves to this machine, which `Host` shows, or directly, which `Origin` shows. IP
-- addresses can't be names of other sites.
-- @tparam table fields of the request
-- @string host the address that the server listens on
-- @treturn bool
function http.isOurs(fields, host)
  local name = fields.host and hostIn(fields.host)
  if not name then return false end
  local isAddress = name:find '^%[' or name:find '^%d+%.%d+%.%d+%.%d+$'
  if not isAddress and name ~= 'localhost' and name ~= host:lower() then return false end
  return fields.origin == nil or fields.origin:lower() == 'http://' .. fields.host:lower()
end

return http
