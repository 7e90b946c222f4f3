-- examples/table.lua sums up and draws a table, as pandas does (table_figures.py).
local files, program = require 'spec.support.files', require 'spec.support.program'
local figures = require 'spec.examples.table_figures'

describe('examples/table.lua', function()
  local picture = os.tmpname() .. '.svg'
  local output, status, errors
  setup(function() output, status, errors = program.run { 'examples/table.lua', picture } end)
  teardown(function() os.remove(picture) end)

  it('prints what pandas computes', function()
    assert.equal('', errors)
    assert.equal(0, status)
    assert.truthy(output:find(('%d of 344 penguins'):format(figures.count), 1, true))
    for species, expected in pairs(figures) do
      if type(expected) == 'table' then
        for _, names in ipairs { { 'mean', 'std', 'q' }, { 'female', 'male' }, { 'slope', 'intercept' } } do
          local words = { species }
          for j, name in ipairs(names) do words[j + 1] = ('%.6g'):format(expected[name]):gsub('[-.]', '%%%0') end
          assert.matches('%f[%w]' .. table.concat(words, '%s+') .. '%f[%s]', output)
        end
      end
    end
  end)

  it('draws the species', function()
    local svg = files.read(picture)
    for _, word in ipairs { 'Adelie', 'Chinstrap', 'Gentoo', 'flipper', 'mass', 'penguins' } do
      assert.truthy(svg:find('>' .. word .. '</text>', 1, true), word)
    end
  end)
end)
