-- docs/sparse.md: its blocks are one program, and each prints the documented output.
local examples = require 'spec.support.examples'

describe('docs/sparse.md', function()
  local list, outputs = examples.tutorial 'docs/sparse.md'
  for i, block in ipairs(list) do
    it(('prints at line %d what it says'):format(block.line), function() assert.equal(block.output or '', outputs[i]) end)
  end
end)
