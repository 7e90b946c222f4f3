--- Runs the examples of the documentation's pages, those of a page in one program.
local blocks, files, program = require 'spec.support.blocks', require 'spec.support.files', require 'spec.support.program'
local reference = require 'trepl.reference'
local examples = {}

-- Runs a script that writes '\1N' on a line before what the N-th example writes.
local function run(name, words)
  local outputs, written, status, errors = {}, program.run(words)
  assert(status == 0 and errors == '', name .. ': ' .. errors .. written:sub(-500))
  for number, text in (written .. '\1'):gmatch '(%d+)\n(.-)%f[\1%z]' do outputs[tonumber(number)] = text end
  return outputs
end

--- A page of the reference, whose examples know nothing of each other.
-- @string name the page's file
-- @treturn table the page, as trepl.reference reads it
-- @treturn {string,...} what each entry's example writes
function examples.reference(name)
  return reference.parse(files.read(name)), run(name, { 'docs/reference/run.lua', name })
end

--- A tutorial: its blocks of Lua are one program.
-- @string name the page's file
-- @treturn {table,...} the blocks, as spec.support.blocks reads them
-- @treturn {string,...} what each block writes
function examples.tutorial(name)
  local list, parts = {}, {}
  for _, block in ipairs(blocks.read(name)) do
    if block.language == 'lua' then
      list[#list + 1] = block
      parts[#parts + 1] = ("io.write '\\001%d\\n'\n%s"):format(#list, block.text)
    end
  end
  local script = program.script("io.stdout:setvbuf 'no'\n" .. table.concat(parts))
  local outputs = run(name, { script })
  os.remove(script)
  return list, outputs
end

return examples
