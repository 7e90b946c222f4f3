-- The libraries that are opened at run time: docs/installing.md shows the code's table, and bin/setup installs the libraries of builds and
-- specs.
local C = require 'libmoontorch'
local files = require 'spec.support.files'
local shell = require 'spec.support.shell'

local function eachRow(visit)
  for _, name in ipairs(C.systemLibrary()) do
    visit(name, C.systemLibrary(name))
  end
end

describe('the libraries that are opened at run time', function()
  it('are in docs/installing.md, each with all its names', function()
    local expected = {}
    eachRow(function(_, sonames, packages, serves)
      local names = sonames:gsub('%S+', '`%0`'):gsub(' ', ', ')
      expected[#expected + 1] = ('| %s | %s | %s |'):format(serves, names, (packages:gsub(' | ', ', ')))
    end)
    local shown = files.read('docs/installing.md'):match '\n| for | sonames[^\n]*\n|[-|]+\n(.-)\n\n'
    assert.equal(table.concat(expected, '\n'), shown)
  end)

  it('are named by no other file', function()
    local pattern = {}
    eachRow(function(_, sonames)
      for soname in sonames:gmatch '%S+%.so%.%S+' do pattern[#pattern + 1] = (soname:gsub('%.', '[.]')) end
    end)
    local search = [[grep -rnE "[\"'/](%s)[\"' ]" engine bindings lua packages bin --include=*.cpp --include=*.h --include=*.lua]]
    local found = shell(search:format(table.concat(pattern, '|')))
    for line in found:gmatch '[^\n]+' do
      assert.truthy(line:find '^engine/core/system_libraries.h:', line)
    end
    assert.truthy(found:find 'libz%.so%.1')
  end)

  it('have names and packages that are words, and a purpose', function()
    eachRow(function(name, sonames, packages, serves)
      assert.truthy(sonames:find '^lib%S+%.so%S*$' or sonames:find '^lib%S+%.so[^%s]* ', name)
      assert.truthy(packages:find '^lib' or packages == 'zlib1g', name)
      assert.truthy(#serves > 5, name)
    end)
    assert.is_nil((C.systemLibrary 'none'))
  end)
end)
