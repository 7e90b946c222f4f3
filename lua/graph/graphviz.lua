--- Runs the programs of Graphviz, with files as input and output.
-- @module graph.graphviz
local paths, temporaryName = require 'paths', require 'libmoontorch'.temporaryName
local quote = require 'torch.shell_word'

local graphviz = {}

--- The error message for a missing program.
graphviz.missing = "Graphviz's program %s is not installed (Debian: apt-get install graphviz)"

--- Whether there is a program that lays out graphs: 'dot', 'neato', 'circo', ...
function graphviz.has(program) return paths.findprogram(program) ~= nil end

--- Writes a string to a file.
-- @treturn ?string the error message
function graphviz.write(name, text)
  local file, message = io.open(name, 'w')
  if not file then return message end
  local good, why = file:write(text)
  file:close()
  return not good and why or nil
end

--- Runs a program with a graph's text as input.
-- @string program
-- @string text the graph
-- @string format of the output: 'svg', 'png', 'plain', ...
-- @string[opt] name of the file that gets it
-- @treturn ?string the output, or an empty string if a name was given; nil if the program failed
-- @treturn ?string the program's error messages
function graphviz.run(program, text, format, name)
  if not graphviz.has(program) then return nil, graphviz.missing:format(program) end
  local input, complaint = temporaryName(), temporaryName()
  local output = name or temporaryName()
  graphviz.write(input, text)
  local file = output:find '^%-' and './' .. output or output
  local status = os.execute(('%s -T%s -o %s %s 2>%s'):format(program, quote(format), quote(file), input, complaint))
  local said = io.open(complaint):read '*a'
  os.remove(input)
  os.remove(complaint)
  local result = ''
  if not name then
    local made = io.open(output)
    result = made and made:read '*a'
    if made then made:close() end
    os.remove(output)
  end
  if status == 0 or status == true then return result end
  return nil, (said:gsub('%s+$', ''))
end

return graphviz
