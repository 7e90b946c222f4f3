-- docs/pytorch.md, docs/numpy.md: they have every name of the lists, name only what exists, and each missing name has a hint in th.
local files = require 'spec.support.files'
local peers = require 'docs.peers'

-- The namespaces whose other names the pages have to the letter: those of which others are developed less often.
local isExact = { torch = true, ['torch.Tensor'] = true, numpy = true }

for _, title in ipairs { 'pytorch', 'numpy' } do
  local rows = peers.read(title)

  describe(('docs/%s.md'):format(title), function()
    local page = files.read(('docs/%s.md'):format(title))

    it('has every name of the list', function()
      local missing = {}
      for _, row in ipairs(rows) do
        local section = (page .. '\n## '):match('\n## ' .. row.namespace:gsub('%.', '%%.') .. '\n(.-)\n## ')
        local hasIt = section and section:find('`' .. row.name .. '`', 1, true)
        if not hasIt then missing[#missing + 1] = row.namespace .. '.' .. row.name end
      end
      assert.equal('', table.concat(missing, ' '))
    end)

    it('names only what exists', function()
      local missing, count = {}, 0
      for line in page:gmatch 'The same: ([^\n]*)' do
        for name in line:gmatch '`[^`]*`: `([^`]*)`' do
          count = count + 1
          if not peers.has(name) then missing[#missing + 1] = name end
        end
      end
      assert.equal('', table.concat(missing, ' '))
      assert.is_true(count > 90, count .. ' names')
    end)

    it('says of the names of torch, of tensors and of numpy what the product has', function()
      local wrong = {}
      for _, row in ipairs(rows) do
        local state, text = peers.state(row)
        local absent = ('| `%s` | %s |'):format(row.name, tostring(text):gsub('|', '\\|'))
        if isExact[row.namespace] and state ~= 'same' and not page:find(absent, 1, true) then wrong[#wrong + 1] = row.name end
      end
      assert.equal('', table.concat(wrong, ' '))
    end)
  end)

  describe('a name that is missing here, of ' .. title .. ',', function()
    it('has a hint', function()
      local without = {}
      for _, row in ipairs(rows) do
        local state, text = peers.state(row)
        if state ~= 'same' and not text then without[#without + 1] = row.namespace .. '.' .. row.name end
      end
      assert.equal('', table.concat(without, ' '))
    end)
  end)
end

describe('a name of PyTorch that is here', function()
  it('is found by the rule', function()
    assert.same({ 'same', 'torch.countNonzero' }, { peers.state { namespace = 'torch', name = 'count_nonzero' } })
    assert.same({ 'same', 'x:add_' }, { peers.state { namespace = 'torch.Tensor', name = 'add_' } })
    assert.equal('absent', (peers.state { namespace = 'torch', name = 'no_such_name' }))
    assert.is_false(peers.has 'torch.noSuchName')
  end)
end)
