-- Compares the list of Torch7's names with the existing ones, and docs/compatibility.md with the list.
local compatibility = require 'docs.compatibility'
for _, name in ipairs { 'xlua', 'nn', 'optim', 'nngraph', 'gnuplot', 'dok', 'image', 'signal', 'audio', 'torchnet' } do require(name) end

local rows = compatibility.read()

describe('docs/compatibility.tsv', function()
  it('names everything once, and gives reasons', function()
    local seen = {}
    for _, row in ipairs(rows) do
      assert.is_nil(seen[row.name], row.name .. ' is there twice')
      seen[row.name] = true
      assert.is_true(row.state == 'same' or row.note ~= '', row.name .. ' gives no reason')
    end
  end)

  it('is what there is', function()
    local wrong = {}
    for _, row in ipairs(rows) do
      if compatibility.has(row.name) ~= (row.state ~= 'absent') then wrong[#wrong + 1] = row.name .. ' is listed as ' .. row.state end
    end
    assert.same({}, wrong)
  end)

  it('is what docs/compatibility.md says', function()
    local file = assert(io.open 'docs/compatibility.md')
    local text = file:read '*a'
    file:close()
    assert.equal(compatibility.markdown(rows), text)
  end)
end)
