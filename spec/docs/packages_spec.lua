-- Each package: a page, a row in README.md, and a help text for each public name.
local torch = require 'torch'
local files = require 'spec.support.files'
local help = require 'trepl.help'

-- Packages that have a page of another name, or that README.md shows at length.
local pages = {
  torch = 'README.md', autograd = 'docs/autograd.md', nn = 'README.md', optim = 'README.md', cutorch = 'docs/gpu.md', cunn = 'docs/gpu.md',
  cudnn = 'docs/gpu.md', cwrap = 'docs/packages/dok.md',
  argcheck = 'docs/packages/torchnet.md', class = 'docs/packages/classic.md', md5 = 'docs/packages/pprint.md',
  notebook = 'docs/notebook.md', distributed = 'docs/distributed.md',
}
-- Parts of torch, and packages for devices that may be missing.
local elsewhere = {}
for name in ('paths sys xlua trepl tds torch cutorch cunn cudnn'):gmatch '%S+' do elsewhere[name] = true end

local readme = files.read 'README.md'

-- The public names of a package, those that are read on demand included.
local function namesOf(package_)
  if type(package_) == 'function' then return {} end
  local names, seen = {}, {}
  local function add(name)
    if type(name) == 'string' and not name:find '^_' and not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  for name in next, package_ do add(name) end
  local lazy = (debug.getmetatable(package_) or {}).__names
  for _, name in ipairs(type(lazy) == 'function' and lazy() or {}) do add(name) end
  table.sort(names)
  return names
end

describe('the package', function()
  for _, rock in ipairs(dofile 'rocks/list.lua') do
    local name = rock.name
    if not elsewhere[name] then
      it(name .. ' has a page and a row in README.md', function()
        local page = pages[name] or ('docs/packages/%s.md'):format(name)
        assert.is_true(#files.read(page) > 200)
        if not pages[name] then assert.truthy(readme:find('(' .. page .. ')', 1, true)) end
      end)

      it(name .. ' has a help text for each of its functions and classes', function()
        local given = require(name)
        rawset(_G, name, given)
        local silent = {}
        for _, field in ipairs(namesOf(given)) do
          local value = given[field]
          if type(value) == 'function' or type(value) == 'table' and torch.typename(value) then
            local text = help.of(('%s.%s'):format(name, field))
            if not text or #text < 20 then silent[#silent + 1] = field end
          end
        end
        assert.equal('', table.concat(silent, ' '))
      end)
    end
  end
end)
