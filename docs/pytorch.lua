-- Writes docs/pytorch.md from docs/pytorch.tsv, the list of PyTorch's public names: `build/release/bin/th docs/pytorch.lua`. Also a module:
-- spec/docs/pytorch_spec.lua compares the page with the product.
local pytorch = {}

local torch = require 'torch'
local hints, names = require 'trepl.hints', require 'trepl.names'
require 'nn.recurrent'

--- The list of PyTorch's names, in its order.
-- @treturn {{namespace=,name=},...}
function pytorch.read()
  local rows = {}
  for line in io.lines 'docs/pytorch.tsv' do
    local namespace, name = line:match '^([^\t]*)\t([^\t]*)$'
    if namespace ~= 'namespace' then rows[#rows + 1] = { namespace = namespace, name = name } end
  end
  return rows
end

-- The value of a path such as 'nn.functional', nil if there is none.
local function valueOf(path)
  local value
  for part in path:gmatch '[^.]+' do
    if value == nil then
      local good, found = pcall(require, part)
      value = good and found or nil
    else
      value = value[part]
    end
    if value == nil then return nil end
  end
  return value
end

-- Where the names of a namespace are looked up, in this order.
local places = {
  torch = 'torch nn.functional nn', ['torch.linalg'] = 'torch.linalg torch', ['torch.special'] = 'torch.special torch',
  ['torch.fft'] = 'torch.fft signal', ['torch.autograd'] = 'autograd torch', ['torch.autograd.functional'] = 'autograd',
  ['torch.func'] = 'torch.func autograd', ['torch.nn'] = 'nn', ['torch.nn.functional'] = 'nn.functional', ['torch.nn.init'] = 'nn.init',
  ['torch.nn.utils'] = 'nn.utils nn optim', ['torch.optim'] = 'optim', ['torch.distributions'] = 'distributions',
  ['torch.optim.lr_scheduler'] = 'optim.lr_scheduler optim',
}

local function camel(name) return (name:gsub('_(%w)', string.upper)) end

local x = torch.DoubleTensor(2)

-- Whether a tensor has a method. Fields that only other libraries have are errors.
local function hasMethod(name)
  local good, value = pcall(function() return x[name] end)
  return good and value ~= nil
end

-- Returns Moontorch's name with the same meaning by the rule, capitals instead of underscores; nil if there is none.
local function byRule(row)
  local forms = { row.name, camel(row.name) }
  if row.namespace == 'torch.Tensor' then
    for _, form in ipairs(forms) do
      if hasMethod(form) then return 'x:' .. form end
    end
    return nil
  end
  if row.namespace ~= 'torch' then forms[3] = forms[2]:gsub('_$', '') end
  for place in (places[row.namespace] or row.namespace:gsub('^torch%.', '')):gmatch '%S+' do
    local owner = valueOf(place)
    for _, form in ipairs(owner and forms or {}) do
      if owner[form] ~= nil then return ('%s.%s'):format(place, form) end
    end
  end
end

--- Returns whether Moontorch has a name, such as `torch.add`, `x:add` or `nn.functional.relu`.
-- @string name
function pytorch.has(name)
  local method = name:match '^x:([%w_]+)$'
  if method then return hasMethod(method) end
  local path, field = name:match '^(.*)%.([%w_]+)$'
  local owner = path and valueOf(path)
  return owner ~= nil and owner[field] ~= nil
end

--- The text about a name that a program gets as a hint, nil if there is none.
-- @string name
-- @treturn ?string
function pytorch.hint(name)
  local text = names.ours[name] or names.absent[name]
  local hint = text or hints.of(("attempt to call field '%s' (a nil value)"):format(name))
  return hint and hint:gsub('^hint: ', '')
end

--- What is here for a name.
-- @tparam table row of `read`
-- @treturn string 'same' (the same meaning by the same name, but for capitals), 'other' (another name or expression) or 'absent'
-- @treturn ?string our name or expression, or the reason why there is none
function pytorch.state(row)
  local ours = byRule(row)
  if ours then return 'same', ours end
  local text = names.ours[row.name]
  if text then return 'other', text end
  local hint = pytorch.hint(row.name)
  local meant = hint and hint:match '^%S+ is ([%w.]+) here' or hint and hint:match '^%S+ is nothing, ([%w.]+) is there$'
  if meant and pytorch.has(meant) then return 'other', meant end
  return 'absent', hint
end

local introduction = [[
# PyTorch's names

<!-- Made by `build/release/bin/th docs/pytorch.lua` from docs/pytorch.tsv. -->

For each public function and class of PyTorch its name here, an expression with the same meaning, or the reason why there is none. The
rule: `snake_case` becomes `camelCase` (`torch.count_nonzero` is `torch.countNonzero`), and classes keep their names. Methods that end
with an underscore change their tensor: `x:add_(1)`, `x:masked_fill_(mask, 0)` and `x:maskedFill_(mask, 0)` work for every op with a method.
Names that Torch7 has keep Torch7's meaning: `x:exp()` changes `x`, reductions keep their dimension with size 1, tensors with equal numbers
of elements are paired in order. Functions that only PyTorch has behave as in PyTorch, but dimensions and positions count from 1. Names of
other devices, of sparse, complex and quantised tensors, and of PyTorch's compilers are not in the list.
]]

local function cell(text) return (text:gsub('|', '\\|'):gsub('\n', ' ')) end

--- The page as Markdown.
-- @tparam table rows result of `read`
-- @treturn string
-- @treturn table by namespace the counts: `same`, `other`, `absent`
function pytorch.markdown(rows)
  local sections, order, counts = {}, {}, {}
  for _, row in ipairs(rows) do
    local namespace = row.namespace
    if not sections[namespace] then
      sections[namespace], counts[namespace] = { same = {}, other = {}, absent = {} }, { same = 0, other = 0, absent = 0 }
      order[#order + 1] = namespace
    end
    local state, text = pytorch.state(row)
    counts[namespace][state] = counts[namespace][state] + 1
    local list = sections[namespace][state]
    if state == 'same' then
      local isShort = row.namespace == 'torch.Tensor' and text == 'x:' .. row.name or text == row.namespace .. '.' .. row.name
      list[#list + 1] = isShort and ('`%s`'):format(row.name) or ('`%s`: `%s`'):format(row.name, text)
    else
      list[#list + 1] = ('| `%s` | %s |'):format(row.name, cell(text or ''))
    end
  end
  local out = { introduction, '| | the same | other name | none |\n|---|---|---|---|' }
  for _, namespace in ipairs(order) do
    local c = counts[namespace]
    out[#out + 1] = ('| `%s` | %d | %d | %d |'):format(namespace, c.same, c.other, c.absent)
  end
  for _, namespace in ipairs(order) do
    local s = sections[namespace]
    out[#out + 1] = ('\n## %s\n'):format(namespace)
    if #s.same > 0 then out[#out + 1] = 'The same: ' .. table.concat(s.same, ', ') .. '.\n' end
    if #s.other > 0 then out[#out + 1] = '| other name | here |\n|---|---|\n' .. table.concat(s.other, '\n') .. '\n' end
    if #s.absent > 0 then out[#out + 1] = '| none | why |\n|---|---|\n' .. table.concat(s.absent, '\n') .. '\n' end
  end
  return table.concat(out, '\n'), counts
end

if ... ~= 'docs.pytorch' then
  local text = pytorch.markdown(pytorch.read())
  local file = assert(io.open('docs/pytorch.md', 'w'))
  file:write(text)
  file:close()
end

return pytorch
