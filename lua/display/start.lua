--- Runs display's server: `th -ldisplay.start [port [host]]`, 8000 and 127.0.0.1 unless said.
-- @module display.start
local words = rawget(_G, 'arg') or {}

-- What follows the option on the command line: th counts from its first word that is no option.
local function optionsBehind()
  local first = 0
  while words[first - 1] do first = first - 1 end
  for i = first, #words do
    if words[i] == '-ldisplay.start' or words[i] == 'display.start' and words[i - 1] == '-l' then return words[i + 1], words[i + 2] end
  end
end

local port, host = optionsBehind()
local _, message = pcall(require 'display.server', host, port)
io.stderr:write(tostring(message), '\n')
os.exit(1)
