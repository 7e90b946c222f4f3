-- docs/reference: the example of every entry runs, uses the entry's names, and prints the documented output.
local examples = require 'spec.support.examples'

local function pages()
  local names, pipe = {}, io.popen 'find docs/reference -name "*.md" | sort'
  for name in pipe:lines() do names[#names + 1] = name end
  pipe:close()
  return names
end

for _, name in ipairs(pages()) do
  describe(name, function()
    local page, outputs = examples.reference(name)
    it('has a title and says what it is about', function()
      assert.truthy(page.title)
      assert.truthy(page.about ~= '')
    end)
    for i, entry in ipairs(page.entries) do
      it(table.concat(entry.names, ', ') .. ' has an example that prints what it says', function()
        assert.truthy(entry.code, 'there is no block of Lua')
        for _, full in ipairs(entry.names) do
          assert.truthy(entry.code:find('%f[%w_]' .. full:match '[%w_]+$' .. '%f[^%w_]'), full .. ' is not in its example')
        end
        assert.equal(entry.output or '', outputs[i])
      end)
    end
  end)
end
