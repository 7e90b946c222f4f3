--- Runs the examples of the documentation's pages, with one program per page.
local blocks, files, program = require 'spec.support.blocks', require 'spec.support.files', require 'spec.support.program'
local reference = require 'trepl.reference'
local examples = {}

-- Runs a script that writes a line '\1N' before the output of the N-th example.
local function run(name, words)
  local outputs, written, status, errors = {}, program.run(words)
  assert(status == 0 and errors == '', name .. ': ' .. errors .. written:sub(-500))
  for number, text in (written .. '\1'):gmatch '(%d+)\n(.-)%f[\1%z]' do outputs[tonumber(number)] = text end
  return outputs
end

--- A page of the reference, whose examples are independent.
-- @string name the page's file
-- @treturn table the page, from trepl.reference
-- @treturn {string,...} the output of each entry's example
function examples.reference(name)
  return reference.parse(files.read(name)), run(name, { 'docs/reference/run.lua', name })
end

--- A tutorial, whose Lua blocks are one program.
-- @string name the page's file
-- @treturn {table,...} the blocks, from spec.support.blocks
-- @treturn {string,...} the output of each block
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
