-- Reads and writes whole files as bytes.
local files = {}

function files.read(name)
  local file = assert(io.open(name, 'rb'))
  local text = file:read '*a'
  file:close()
  return text
end

function files.write(name, text)
  local file = assert(io.open(name, 'wb'))
  file:write(text)
  file:close()
end

return files
