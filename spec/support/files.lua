-- Reads and writes whole files as bytes, and makes temporary folders.
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

--- Makes a new temporary folder; returns its name.
function files.folder()
  local name = os.tmpname()
  os.remove(name)
  assert(os.execute('mkdir ' .. name) == 0)
  return name
end

return files
