-- docs/tutorials: the blocks of a page are one program, and each prints the documented output.
local examples = require 'spec.support.examples'

local pipe = io.popen 'find docs/tutorials -name "*.md" | sort'
for name in pipe:lines() do
  describe(name, function()
    local list, outputs = examples.tutorial(name)
    for i, block in ipairs(list) do
      it(('prints at line %d what it says'):format(block.line), function() assert.equal(block.output or '', outputs[i]) end)
    end
  end)
end
pipe:close()
