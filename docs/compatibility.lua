-- Writes docs/compatibility.md from docs/compatibility.tsv, the list of all names of Torch7's torch, paths, sys, xlua, nn, optim, graph,
-- nngraph, gnuplot, dok, image, signal, audio and torchnet: `build/release/bin/th docs/compatibility.lua`. Also a module:
-- spec/docs/compatibility_spec.lua compares the names with the list.
local compatibility = {}

local torch = require 'torch'
local class = require 'torch.class'

local states = { same = true, better = true, absent = true }

--- The list, in its order.
-- @string[opt] name of the file
-- @treturn {{section=,name=,state=,note=},...}
function compatibility.read(name)
  local rows = {}
  for line in io.lines(name or 'docs/compatibility.tsv') do
    local section, field, state, note = line:match '^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)$'
    if section ~= 'section' then
      assert(states[state], line)
      rows[#rows + 1] = { section = section, name = field, state = state, note = note }
    end
  end
  return rows
end

-- The class or object of `x` in `x:name` and `x.name`, where its fields are looked up.
local owners = {
  Tensor = 'torch.DoubleTensor', Storage = 'torch.CharStorage', Generator = 'torch.Generator', File = 'torch.MemoryFile',
  DiskFile = 'torch.DiskFile', MemoryFile = 'torch.MemoryFile', Timer = 'torch.Timer', CmdLine = 'torch.CmdLine', Tester = 'torch.Tester',
  Profiler = function() return require('xlua').Profiler() end, OptionParser = function() return require('xlua').OptionParser() end,
}

-- Fields of instances, and methods that are metamethods here: `x[i]` and the operators work without Torch7's hooks.
local elsewhere = {
  ['Tester.errors'] = '__init', ['Tester.warnings'] = '__init', ['Tester.tests'] = '__init', ['Tester.countasserts'] = '__init',
  ['Tensor:__index__'] = '__index', ['Tensor:__newindex__'] = '__newindex', ['Tensor:__len__'] = '__len',
  ['Storage:__index__'] = '__index', ['Storage:__newindex__'] = '__newindex', ['Storage:__len__'] = '__len',
}

--- Whether the program has a name of the list.
-- @string name such as 'torch.add', 'Tensor:add', 'xprint'
function compatibility.has(name)
  local owner, field = name:match '^(%u%w*)[:.]([%w_]+)$'
  local found = owners[owner]
  if found then
    if owner == 'Generator' then assert(torch.File) end      -- torch.File adds its methods read and write
    if type(found) == 'function' then return found()[field] ~= nil end
    return class.getmetatable(found)[elsewhere[name] or field] ~= nil
  end
  owner, field = name:match '^([%w.]+):([%w_]+)$'
  if owner then return compatibility.has(owner) and class.getmetatable(owner)[field] ~= nil end
  field = name:match '^torch%.paths%.([%w_]+)$'
  if field then return require('torch.paths')[field] ~= nil end
  local value = setmetatable({}, { __index = function(_, first) return rawget(_G, first) or package.loaded[first] end })
  for part in name:gmatch '[^.]+' do
    value = value[part]
    if value == nil then return false end
  end
  return true
end

local introduction = [[
# Compatibility

<!-- Made by `build/release/bin/th docs/compatibility.lua` from docs/compatibility.tsv. -->

Every name of Torch7's packages torch, paths, sys, xlua, nn, optim, graph, nngraph, gnuplot, dok, image, signal, audio and
torchnet. *The same* means: a call as in Torch7 has the same effect.
General improvements are not repeated for each name:

- Tensors of equal element counts are paired in order, as in Torch7; otherwise sizes broadcast as in NumPy.
- Element types may be mixed; the result has the type that holds both. Functions accept all types for which they are meaningful, including
  half precision and integers.
- Dimensions, and positions along them, may be negative and count from the end.
- An error is one sentence: function, argument, actual value and expected value.
- A class whose name Torch7 lacks (`nn.LSTM`, `nn.GELU`, `nn.Conv2d`), or that dpnn had before nn (`nn.Decorator`, `nn.OneHot`), leaves its
  name to a program or package that defines a class of this name with `torch.class`: theirs replaces Moontorch's. Before that,
  files that define one, files next to one with the name of the class, and code that tests for its absence find no such class in nn, so
  that packages which require its absence load (rnn: `assert(not nn.LSTM)`).
- Results are the same for any number of threads, except for a few from vendor libraries (see there).

**The language** is LuaJIT's. Torch7's LuaJIT was built with a switch for more of Lua 5.2, which distributions don't set. `th` provides
it in all code that a program loads (scripts, `require`, `dofile`, `loadstring`, `load`, jobs of threads): a call whose parenthesis
begins a line, `break` in the middle of a block, empty statements, `table.pack`, `table.unpack`, `rawlen`, and `pairs` through `__pairs`.
Not provided are `#t` through the `__len` of a table (use `getmetatable(t).__len(t)`; tensors, storages and tds have it), and `ipairs`
through `__ipairs`; `os.execute` and `pipe:close` return Lua 5.1's results.

**Third-party packages** are rocks, or Debian packages: the error of `require` names them. dpnn, rnn, torchx, moses, totem, dp and nnx
run unchanged, except for the parts of nnx in C that use TH's headers (SoftMaxTree and a few more). A lexer of Penlight 1.13 can't yield
across a call from C, such as `string.gsub` with a function that yields.

**Files of a program** with the name of a package: for names of Torch7's packages, `require` finds the package: %s.
For the other packages, %s, the program's `require` finds the program's file, in its folder or the current one;
use `require 'moontorch.data'` for the package.

[architecture.md](architecture.md#differences-from-torch7-on-purpose) has the differences that a program may notice.
]]

-- Returns two lists of packages: those that a program's file with the same name does not replace, and the others.
local function packages()
  local ours, others = {}, {}
  for name in io.popen 'ls lua':lines() do
    local list = require 'torch.modules'.givesWay(name) and others or ours
    list[#list + 1] = name
  end
  return table.concat(ours, ', '), table.concat(others, ', ')
end

--- The list as Markdown.
-- @tparam table rows result of `read`
-- @treturn string
function compatibility.markdown(rows)
  local out, counts = {}, { same = 0, better = 0, absent = 0 }
  local i = 1
  while rows[i] do
    local section, plain, others = rows[i].section, {}, {}
    while rows[i] and rows[i].section == section do
      local row = rows[i]
      counts[row.state] = counts[row.state] + 1
      if row.state == 'same' and row.note == '' then
        plain[#plain + 1] = '`' .. row.name .. '`'
      else
        others[#others + 1] = ('| `%s` | %s | %s |'):format(row.name, row.state, (row.note:gsub('|', '\\|')))
      end
      i = i + 1
    end
    out[#out + 1] = ('## %s\n'):format(section)
    if #plain > 0 then out[#out + 1] = 'The same: ' .. table.concat(plain, ', ') .. '.\n' end
    if #others > 0 then out[#out + 1] = '| name | | |\n|---|---|---|\n' .. table.concat(others, '\n') .. '\n' end
  end
  local summary = ('Of %d names %d are the same, %d are better, %d are absent.\n'):format(#rows, counts.same, counts.better, counts.absent)
  return introduction:format(packages()) .. '\n' .. summary .. '\n' .. table.concat(out, '\n')
end

if ... ~= 'docs.compatibility' then
  local file = assert(io.open('docs/compatibility.md', 'w'))
  file:write(compatibility.markdown(compatibility.read()))
  file:close()
end

return compatibility
