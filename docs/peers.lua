-- Writes docs/pytorch.md and docs/numpy.md from lists of public names of other libraries, docs/pytorch.tsv and docs/numpy.tsv:
-- `build/release/bin/th docs/peers.lua`. Also a module: spec/docs/peers_spec.lua compares the pages with the product.
local peers = {}

local torch = require 'torch'
local hints, names = require 'trepl.hints', require 'trepl.names'
require 'nn.recurrent'

--- The names of a page, in the order of its list.
-- @string page 'pytorch' or 'numpy'
-- @treturn {{namespace=,name=},...}
function peers.read(page)
  local rows = {}
  for line in io.lines(('docs/%s.tsv'):format(page)) do
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
  numpy = 'torch torch.Tensor torch.linalg', ['numpy.linalg'] = 'torch.linalg torch', ['numpy.fft'] = 'torch.fft signal',
  ['numpy.random'] = 'randomkit torch', ['scipy.linalg'] = 'torch.linalg torch', ['scipy.sparse'] = 'torch.sparse',
  ['scipy.sparse.linalg'] = 'torch.linalg torch.sparse', ['torch.sparse'] = 'torch.sparse',
  torch = 'torch nn.functional nn', ['torch.linalg'] = 'torch.linalg torch', ['torch.special'] = 'torch.special torch',
  ['torch.fft'] = 'torch.fft signal', ['torch.autograd'] = 'autograd torch', ['torch.autograd.functional'] = 'autograd',
  ['torch.func'] = 'torch.func autograd', ['torch.nn'] = 'nn', ['torch.nn.functional'] = 'nn.functional', ['torch.nn.init'] = 'nn.init',
  ['torch.nn.utils'] = 'nn.utils nn optim', ['torch.optim'] = 'optim', ['torch.distributions'] = 'distributions',
  ['torch.optim.lr_scheduler'] = 'optim.lr_scheduler optim',
}

-- Namespaces whose names mean something else than the same ones of torch -> the reason where they are not in their place.
local reasons = {
  ['scipy.sparse'] = 'functions give no such warnings',
  ['torch.sparse'] = "blocks with two of four elements are a format of NVIDIA's GPUs; sparse tensors are on CPUs so far",
}

local coo = 'torch.sparse.coo(indices, values, sizes)'
-- Names whose meaning has another name here, or that mean something else in Torch7.
local differs = {
  numpy = {
    select = 'torch.selectByMask(masks, values, default); torch.select(x, dim, i) is a slice', test = 'spec/run.lua runs the tests',
  },
  ['scipy.sparse'] = {
    lil_array = coo, lil_matrix = coo, dok_array = coo, dok_matrix = coo, isspmatrix_lil = "s:format() == 'coo'",
    isspmatrix_dok = "s:format() == 'coo'", get_index_dtype = 'indices are LongTensors',
    safely_cast_index_arrays = 'indices are LongTensors', sparray = 'torch.Sparse', spmatrix = 'torch.Sparse',
  },
  ['torch.sparse'] = {
    check_sparse_tensor_invariants = 'torch.sparse.coo and the others check what they are given',
  },
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
  if differs[row.namespace] and differs[row.namespace][row.name] then return nil end
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
function peers.has(name)
  local method = name:match '^x:([%w_]+)$'
  if method then return hasMethod(method) end
  local path, field = name:match '^(.*)%.([%w_]+)$'
  local owner = path and valueOf(path)
  return owner ~= nil and owner[field] ~= nil
end

--- The text about a name that a program gets as a hint, nil if there is none.
-- @string name
-- @treturn ?string
function peers.hint(name)
  local text = names.ours[name] or names.absent[name]
  local hint = text or hints.of(("attempt to call field '%s' (a nil value)"):format(name))
  return hint and hint:gsub('^hint: ', '')
end

-- Returns what `state` does.
local function stateOf(row)
  local ours = byRule(row)
  if ours then return 'same', ours end
  local text = differs[row.namespace] and differs[row.namespace][row.name]
  if text then return 'other', text end
  if reasons[row.namespace] then return 'absent', reasons[row.namespace] end
  text = names.ours[row.name]
  if text then return 'other', text end
  local hint = peers.hint(row.name)
  local meant = hint and (hint:match '^%S+ is ([%w.]+) here' or hint:match '^%S+ is nothing, ([%w.]+) is there$')
  if meant and peers.has(meant) then return 'other', meant end
  return 'absent', hint
end

--- What is here for a name.
-- @tparam table row of `read`, where the answer is kept
-- @treturn string 'same' (the same meaning by the same name, but for capitals), 'other' (another name or expression) or 'absent'
-- @treturn ?string our name or expression, or the reason why there is none
function peers.state(row)
  row.state = row.state or { stateOf(row) }
  return unpack(row.state)
end

local introductions = {
  pytorch = [[
# PyTorch's names

<!-- Made by `build/release/bin/th docs/peers.lua` from docs/pytorch.tsv. -->

For each public function and class of PyTorch its name here, an expression with the same meaning, or the reason why there is none. The
rule: `snake_case` becomes `camelCase` (`torch.count_nonzero` is `torch.countNonzero`), and classes keep their names. Methods that end
with an underscore change their tensor: `x:add_(1)`, `x:masked_fill_(mask, 0)` and `x:maskedFill_(mask, 0)` work for every op with a method.
Names that Torch7 has keep Torch7's meaning: `x:exp()` changes `x`, reductions keep their dimension with size 1, tensors with equal numbers
of elements are paired in order. Functions that only PyTorch has behave as in PyTorch, but dimensions and positions count from 1. Names of
other devices, of sparse, complex and quantised tensors, and of PyTorch's compilers are not in the list.
]],
  numpy = [[
# NumPy's and SciPy's names

<!-- Made by `build/release/bin/th docs/peers.lua` from docs/numpy.tsv. -->

For each public name of NumPy, of SciPy's linear algebra and sparse matrices, and of PyTorch's counterparts its name here, an expression
with the same meaning, or the reason why there is none. The rule: `snake_case` becomes `camelCase` (`np.apply_along_axis` is
`torch.applyAlongAxis`). Dimensions and positions count from 1. Names that Torch7 has keep Torch7's meaning: `x:exp()` changes `x`, and
reductions keep their dimension with size 1, as those do that NumPy adds. An axis that is left out means all elements where it does so in
NumPy.
]],
}

local function cell(text) return (text:gsub('|', '\\|'):gsub('\n', ' ')) end

--- A page as Markdown.
-- @string page 'pytorch' or 'numpy'
-- @tparam table rows result of `read`
-- @treturn string
-- @treturn table by namespace the counts: `same`, `other`, `absent`
function peers.markdown(page, rows)
  local sections, order, counts = {}, {}, {}
  for _, row in ipairs(rows) do
    local namespace = row.namespace
    if not sections[namespace] then
      sections[namespace], counts[namespace] = { same = {}, other = {}, absent = {} }, { same = 0, other = 0, absent = 0 }
      order[#order + 1] = namespace
    end
    local state, text = peers.state(row)
    counts[namespace][state] = counts[namespace][state] + 1
    local list = sections[namespace][state]
    if state == 'same' then
      local isShort = row.namespace == 'torch.Tensor' and text == 'x:' .. row.name or text == row.namespace .. '.' .. row.name
      list[#list + 1] = isShort and ('`%s`'):format(row.name) or ('`%s`: `%s`'):format(row.name, text)
    else
      list[#list + 1] = ('| `%s` | %s |'):format(row.name, cell(text or ''))
    end
  end
  local out = { introductions[page], '| | the same | other name | none |\n|---|---|---|---|' }
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

if ... ~= 'docs.peers' then
  for page in pairs(introductions) do
    local file = assert(io.open(('docs/%s.md'):format(page), 'w'))
    file:write((peers.markdown(page, peers.read(page))))
    file:close()
  end
end

return peers
