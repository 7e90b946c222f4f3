--- Output of viewers: a file, or standard output.
-- @module torchnet.log.view.sink
local check = require 'torch.check'

--- Returns a function that writes a line.
-- @string where prefix of error messages
-- @tparam ?string filename nil for standard output
-- @tparam ?bool append whether to append to an existing file
-- @treturn function
return function(where, filename, append)
  if not filename then
    return function(line)
      io.write(line, '\n')
      io.flush()
    end
  end
  local function opened(mode)
    local file, message = io.open(filename, mode)
    return file or check.raise(('%s: filename: %s'):format(where, message))
  end
  opened(append and 'a' or 'w'):close()
  return function(line)
    local file = opened 'a'
    file:write(line, '\n')
    file:close()
  end
end
