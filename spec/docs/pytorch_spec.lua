-- docs/pytorch.md: it has every name of the list, names only what exists, and each missing name has a hint in th.
local files = require 'spec.support.files'
local pytorch = require 'docs.pytorch'

local rows = pytorch.read()

describe('docs/pytorch.md', function()
  local page = files.read 'docs/pytorch.md'

  it('has every name of PyTorch', function()
    local missing = {}
    for _, row in ipairs(rows) do
      local section = (page .. '\n## '):match('\n## ' .. row.namespace:gsub('%.', '%%.') .. '\n(.-)\n## ')
      if not section or not section:find('`' .. row.name .. '`', 1, true) then missing[#missing + 1] = row.namespace .. '.' .. row.name end
    end
    assert.equal('', table.concat(missing, ' '))
  end)

  it('names only what exists', function()
    local missing, count = {}, 0
    for line in page:gmatch 'The same: ([^\n]*)' do
      for name in line:gmatch '`[^`]*`: `([^`]*)`' do
        count = count + 1
        if not pytorch.has(name) then missing[#missing + 1] = name end
      end
    end
    assert.equal('', table.concat(missing, ' '))
    assert.is_true(count > 150, count .. ' names')
  end)

  it('says of the names of torch and of tensors what the product has', function()
    local wrong = {}
    for _, row in ipairs(rows) do
      local state, text = pytorch.state(row)
      local isTensors = row.namespace == 'torch' or row.namespace == 'torch.Tensor'
      local absent = ('| `%s` | %s |'):format(row.name, tostring(text):gsub('|', '\\|'))
      if isTensors and state ~= 'same' and not page:find(absent, 1, true) then wrong[#wrong + 1] = row.name end
    end
    assert.equal('', table.concat(wrong, ' '))
  end)
end)

describe('a name of PyTorch that is missing here', function()
  it('has a hint', function()
    local without = {}
    for _, row in ipairs(rows) do
      local state, text = pytorch.state(row)
      if state ~= 'same' and not text then without[#without + 1] = row.namespace .. '.' .. row.name end
    end
    assert.equal('', table.concat(without, ' '))
  end)
end)

describe('a name of PyTorch that is here', function()
  it('is found by the rule', function()
    assert.same({ 'same', 'torch.countNonzero' }, { pytorch.state { namespace = 'torch', name = 'count_nonzero' } })
    assert.same({ 'same', 'x:add_' }, { pytorch.state { namespace = 'torch.Tensor', name = 'add_' } })
    assert.equal('absent', (pytorch.state { namespace = 'torch', name = 'no_such_name' }))
    assert.is_false(pytorch.has 'torch.noSuchName')
  end)
end)
