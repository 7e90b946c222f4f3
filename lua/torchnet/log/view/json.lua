--- A viewer that writes a log's values as a line of JSON.
-- @module torchnet.log.view.json
local argcheck, encoded = require 'argcheck', require 'torch.file.json_text'
local sink = require 'torchnet.log.view.sink'

--- Creates the viewer, for `onFlush`.
-- @function json
-- @string[opt] filename default: standard output
-- @tparam {string,...} keys
-- @bool[opt=false] append whether to append to an existing file
return argcheck {
  help = "Writes a log's figures as a line of JSON.", noordered = true,
  { name = 'filename', type = 'string', opt = true, help = 'standard output without one' }, { name = 'keys', type = 'table' },
  { name = 'append', type = 'boolean', default = false },
  call = function(filename, keys, append)
    local write = sink('torchnet.log.view.json', filename, append)
    return function(log)
      local parts = {}
      for i, key in ipairs(keys) do parts[i] = encoded(tostring(key)) .. ':' .. encoded(log:get(key)) end
      write('{' .. table.concat(parts, ',') .. '}')
    end
  end,
}
