-- The programs of README.md and of the pages it names, pasted into a terminal in bracketed paste mode. They print the output on the
-- page.
local blocks = require 'spec.support.blocks'
local program = require 'spec.support.program'

local function paste(text) return '\27[200~' .. text .. '\27[201~' end

local pages = { 'README.md', 'docs/th.md', 'docs/autograd.md', 'docs/tutorials/from-python.md', 'docs/files.md' }

for _, page in ipairs(pages) do
  for _, block in ipairs(blocks.read(page)) do
    if block.language == 'lua' and block.output then
      it(('%s, line %d, can be pasted'):format(page, block.line), function()
        local session = program.session 'NO_COLOR=1 COLUMNS=160'
        session:expect('th> '):send(paste(block.text .. 'print("it " .. "ends")\n')):expect 'it ends'
        local screen = session:finish()
        assert.is_truthy(screen:find(block.output, 1, true), screen)
        assert.is_nil(screen:find('stack traceback', 1, true), screen)
      end)
    end
  end
end

-- A tutorial's blocks are one program: pasted one after the other, its local variables stay.
local tutorials = io.popen 'find docs/tutorials -name "*.md" | sort'
for page in tutorials:lines() do
  it(page .. ' can be pasted, block by block', function()
    local session = program.session 'NO_COLOR=1 COLUMNS=160'
    session:expect 'th> '
    local list = blocks.read(page)
    local number = 0
    for _, block in ipairs(list) do
      if block.language == 'lua' then
        number = number + 1
        session:send(paste(('%sprint("it " .. "ends %d")\n'):format(block.text, number))):expect(('it ends %d'):format(number), 60)
      end
    end
    local screen = session:finish()
    assert.is_nil(screen:find('stack traceback', 1, true), screen)
    for _, block in ipairs(list) do
      for line in (block.language == 'lua' and block.output or ''):gmatch '[^\n]+' do
        assert.is_truthy(screen:find(line, 1, true), line .. ' is not in\n' .. screen)      -- th's own lines come between
      end
    end
  end)
end
tutorials:close()
