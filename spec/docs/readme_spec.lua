-- README.md and the pages of docs, except reference and tutorials, which have separate specs: every block of Lua runs as a separate
-- program, and prints the text in the block after it.
local blocks = require 'spec.support.blocks'
local program = require 'spec.support.program'

local own = { ['docs/adding-an-op.md'] = true, ['docs/adding-a-module.md'] = true,
  ['docs/adding-an-optimiser.md'] = true }     -- have specs of their own

local function files()
  local names, pipe = { 'README.md' }, io.popen 'find docs -name "*.md" -not -path "docs/reference/*" -not -path "docs/tutorials/*" | sort'
  for name in pipe:lines() do
    if not own[name] then names[#names + 1] = name end
  end
  pipe:close()
  return names
end

for _, file in ipairs(files()) do
  for _, block in ipairs(blocks.read(file)) do
    if block.language == 'lua' then
      it(('%s, line %d, does what it says'):format(file, block.line), function()
        local script = program.script(block.text)
        local output, status, errors = program.run { script }
        os.remove(script)
        assert.equal('', errors)
        assert.equal(0, status)
        if block.output then assert.equal(block.output, output) end
      end)
    end
  end
end

describe('README.md', function()
  it('shows a first program, tensors, the tape and networks, with what they print', function()
    local shown = 0
    for _, block in ipairs(blocks.read 'README.md') do
      if block.language == 'lua' and block.output then shown = shown + 1 end
    end
    assert.equal(4, shown)
  end)
end)
