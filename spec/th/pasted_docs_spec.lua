-- The programs of README.md and of the pages it names, pasted into a terminal as terminals do it: between marks. They print what the page
-- says.
local blocks = require 'spec.support.blocks'
local program = require 'spec.support.program'

local function paste(text) return '\27[200~' .. text .. '\27[201~' end

local pages = { 'README.md', 'docs/th.md', 'docs/autograd.md', 'docs/tutorials/from-python.md', 'docs/files.md' }

for _, page in ipairs(pages) do
  for _, block in ipairs(blocks.read(page)) do
    if block.language == 'lua' and block.output then
      it(('%s, line %d, can be pasted'):format(page, block.line), function()
        local session = program.session 'NO_COLOR=1'
        session:expect('th> '):send(paste(block.text .. 'print("it " .. "ends")\n')):expect 'it ends'
        local screen = session:finish()
        assert.is_truthy(screen:find(block.output, 1, true), screen)
        assert.is_nil(screen:find('stack traceback', 1, true), screen)
      end)
    end
  end
end
