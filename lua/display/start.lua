--- Runs display's server: `th -ldisplay.start [port [host]]`; defaults: 8000 and 127.0.0.1.
-- @module display.start
local words = rawget(_G, 'arg') or {}

-- The words after the option on the command line: in th's arg, index 0 is the first word that is not an option.
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
