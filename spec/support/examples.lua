--- Runs the examples of a page of the reference, in one program for all of them.
local files, program = require 'spec.support.files', require 'spec.support.program'
local reference = require 'trepl.reference'
local examples = {}

--- @string name the page's file
-- @treturn table the page, as trepl.reference reads it
-- @treturn {string,...} what each entry's example writes
function examples.run(name)
  local page, outputs = reference.parse(files.read(name)), {}
  local written, status, errors = program.run { 'docs/reference/run.lua', name }
  assert(status == 0 and errors == '', name .. ': ' .. errors .. written:sub(-500))
  for number, text in (written .. '\1'):gmatch '(%d+)\n(.-)%f[\1%z]' do outputs[tonumber(number)] = text end
  return page, outputs
end

return examples
