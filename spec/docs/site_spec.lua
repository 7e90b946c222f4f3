-- The site: its exporter finds documentation for all that the reference shows, the reference shows all that programs can use, and no link
-- leads nowhere.
package.path = './docs/site/?.lua;' .. package.path
local files, program = require 'spec.support.files', require 'spec.support.program'
local names = require 'names'

-- Packages for devices that may be missing; packages of th.
local elsewhere = { cutorch = true, cunn = true, cudnn = true, trepl = true }

describe('the reference', function()
  local shown = names.shown()
  for _, rock in ipairs(dofile 'rocks/list.lua') do
    if not elsewhere[rock.name] then
      it('shows every name of ' .. rock.name, function()
        assert.equal('', table.concat(names.missing(rock.name, shown), ' '))
      end)
    end
  end
end)

describe('the site', function()
  local folder = os.tmpname()
  local said, status
  setup(function()
    os.remove(folder)
    local errors
    said, status, errors = program.run { 'docs/site/export.lua', folder }
    said = said .. errors
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('has documentation for every name of the reference', function()
    assert.equal('0 mistakes\t\n', said)
    assert.equal(0, status)
  end)

  it('has links that lead somewhere', function()
    local pages, pipe = {}, io.popen(('cd %s && find . -name "*.md"'):format(folder))
    for name in pipe:lines() do pages[#pages + 1] = name end
    pipe:close()
    assert.is_true(#pages > 50)
    local entries, text = {}, {}
    for _, page in ipairs(pages) do
      text[page] = files.read(folder .. '/' .. page)
      for name in text[page]:gmatch '\n`````{lua} (%S+)' do entries[name] = true end
    end
    for _, page in ipairs(pages) do
      local prose = text[page]:gsub('\n```%a.-\n```', '')
      for name in prose:gmatch '{lua}`[^`<]*<([^`>]+)>`' do assert.is_true(entries[name], page .. ' leads to ' .. name) end
      for link in prose:gsub('`[^`\n]+`', ''):gmatch '%]%(([^)#%s:]+)[^):]*%)' do
        local target = ('%s/%s/%s'):format(folder, page:match '^(.*)/', link)
        assert.is_truthy(io.open(target), page .. ' leads to ' .. link)
      end
    end
  end)
end)
