--- The server of display's page: `require 'display.server'(host, port)`; `th -ldisplay.start [port [host]]` runs it.
-- @module display.server
local serving = require 'display.serving'

local function write(line)
  io.write(line, '\n')
  io.flush()
end

--- Runs the server; it does not return. It prints its address, and the method and path of each request.
-- @string[opt='127.0.0.1'] host address to listen on; with other addresses than the default, other machines can see and send windows
-- @int[opt=8000] port 0 for any free one
-- @raise if it can't listen there
return function(host, port)
  host, port = host or '127.0.0.1', tonumber(port == nil and 8000 or port)
  if type(host) ~= 'string' then error(('display.server: host: a %s, expected a string'):format(type(host)), 2) end
  if not port or port < 0 or port > 65535 or port % 1 ~= 0 then
    error('display.server: port: expected a whole number from 0 to 65535', 2)
  end
  local made = serving.open(host, port, write)
  write(('server listening on http://%s:%d'):format(host:find ':' and '[' .. host .. ']' or host, made.port))
  while true do made:step(1) end
end
