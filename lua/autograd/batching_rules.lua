--- Batching rules: how an op computes for all examples at once. A rule gets a context and the arguments of the step, in which batched
-- values are objects with the tensor `all` and the sizes `sizes()` of an example. It returns the results with the examples along the first
-- dimension, or nil for arguments that it does not cover: then the op runs for one example after another, as one without a rule does.
-- @module autograd.batching_rules
local torch = require 'torch'

local rules = {}
local byName = {}

local function each(names, rule)
  for name in names:gmatch '%S+' do byName[name] = rule end
end

local function product(sizes)
  local n = 1
  for _, size in ipairs(sizes) do n = n * size end
  return n
end

local function joined(...)
  local list = {}
  for _, part in ipairs { ... } do
    if type(part) == 'table' then
      for _, size in ipairs(part) do list[#list + 1] = size end
    else
      list[#list + 1] = part
    end
  end
  return list
end

local function rankOf(c, x) return c.isBatched(x) and #x:sizes() or x:dim() end
local function sizesOf(c, x) return c.isBatched(x) and x:sizes() or x:size():totable() end

-- The values of all examples: of an unbatched tensor copies that share its memory.
local function all(c, x)
  if c.isBatched(x) then return x.all end
  return torch.expand(torch.unsqueeze(x, 1), joined(c.size, x:size():totable()))
end

-- Whether all arguments from a position on are no batched values.
local function arePlain(c, first, ...)
  for i = first, select('#', ...) do
    local value = select(i, ...)
    if c.isBatched(value) then return false end
    if type(value) == 'table' then
      for _, one in pairs(value) do
        if c.isBatched(one) then return false end
      end
    end
  end
  return true
end

-- A dimension of an example as one of the batch; nil if it is no number.
local function shifted(dim)
  if type(dim) ~= 'number' then return nil end
  return dim > 0 and dim + 1 or dim
end

-- ---- elementwise ops

-- The sizes that operands are expanded to; nil if they combine their elements in order.
local function common(c, operands)
  local rank, sizes = 0, {}
  for _, x in ipairs(operands) do rank = math.max(rank, rankOf(c, x)) end
  for d = 1, rank do sizes[d] = 1 end
  for _, x in ipairs(operands) do
    local own = sizesOf(c, x)
    for d, size in ipairs(own) do
      local at = rank - #own + d
      if sizes[at] ~= size and size ~= 1 then
        if sizes[at] ~= 1 then return nil end
        sizes[at] = size
      end
    end
  end
  local count
  for _, x in ipairs(operands) do
    local own = sizesOf(c, x)
    local n = product(own)
    if count and n == count and table.concat(own, ',') ~= table.concat(sizes, ',') then return nil end
    count = count or n
  end
  return sizes
end

local function pointwise(c, ...)
  local arguments, operands, n = { ... }, {}, select('#', ...)
  for i = 1, n do
    if c.isBatched(arguments[i]) or torch.isTensor(arguments[i]) then operands[#operands + 1] = arguments[i] end
  end
  local sizes = common(c, operands)
  if not sizes or #sizes == 0 then return nil end
  for i = 1, n do
    local x = arguments[i]
    if c.isBatched(x) or torch.isTensor(x) then
      local own = sizesOf(c, x)
      local padded = joined(c.isBatched(x) and c.size or 1)
      for _ = 1, #sizes - #own do padded[#padded + 1] = 1 end
      x = c.isBatched(x) and x.all or x
      if #own < #sizes or not c.isBatched(arguments[i]) then x = torch.reshape(x, joined(padded, own)) end
      arguments[i] = torch.expand(x, joined(c.size, sizes))
    end
  end
  return c.op(unpack(arguments, 1, n))
end

-- ---- ops with a dimension

-- The argument at `position` is a dimension; without it `whole` decides.
local function along(position, whole)
  return function(c, ...)
    if not c.isBatched((...)) or not arePlain(c, 2, ...) then return nil end
    local arguments, n = { ... }, select('#', ...)
    if arguments[position] == nil then return whole and whole(c, ...) end
    local dim = shifted(arguments[position])
    if not dim or #arguments[1]:sizes() == 0 then return nil end
    arguments[1], arguments[position] = arguments[1].all, dim
    return c.op(unpack(arguments, 1, n))
  end
end

-- All elements of an example are reduced, to one.
local function reduceAll(c, x, ...)
  local n = product(x:sizes())
  if select('#', ...) > 0 or n == 0 then return nil end
  local y = c.op(torch.reshape(x.all, c.size, n), 2)
  return y
end

each('sum mean prod nansum', along(2, reduceAll))
each('max min', along(2, reduceAll))
each('cumsum cumprod cummax cummin logcumsumexp logsumexp std var', along(2))
each('norm roll', along(3))
each('kthvalue', along(3))
each('narrow unfold', along(2))
each('median mode sort', along(2, function(c, x, ...)
  if select('#', ...) > 0 then return nil end
  return c.op(x.all, -1)
end))

-- The dimension that softmax has without an argument: the first of vectors, the last of matrices.
local function softmaxDim(c, x, ...)
  local rank = rankOf(c, x)
  return rank == 1 and 1 or rank == 2 and 2 or nil, ...
end
local function softmax(c, ...)
  local arguments, tensors = { ... }, 0
  while c.isBatched(arguments[tensors + 1]) or torch.isTensor(arguments[tensors + 1]) do tensors = tensors + 1 end
  local dim = shifted(arguments[tensors + 1] or softmaxDim(c, arguments[1]))
  if not dim then return nil end
  local list = {}
  for i = 1, tensors do list[i] = all(c, arguments[i]) end
  list[tensors + 1] = dim
  return c.op(unpack(list, 1, tensors + 1))
end
each('softmax logsoftmax softmax_grad logsoftmax_grad', softmax)

-- ---- ops that treat leading dimensions alike

each('tril triu', function(c, x, ...)
  if not arePlain(c, 1, ...) then return nil end
  return c.op(x.all, ...)
end)
each('clone contiguous to', function(c, x, ...)
  if not c.isBatched(x) or not arePlain(c, 1, ...) then return nil end
  return c.op(x.all, ...)
end)
each('inverse cholesky det', function(c, x, ...)
  if not c.isBatched(x) or #x:sizes() ~= 2 or not arePlain(c, 1, ...) then return nil end
  local y = c.op(x.all, ...)
  if y:dim() == 1 then return torch.reshape(y, c.size, 1) end      -- one number for each matrix
  return y
end)

-- Further dimensions of batches are joined to the one that an op has: `rank` counts its dimensions, `batches` the tensors that have it.
local function joinedBatch(rank, batches)
  return function(c, ...)
    local arguments, n, inner = { ... }, select('#', ...), nil
    if not arePlain(c, batches + 1, ...) then return nil end
    for i = 1, batches do
      local x = arguments[i]
      local r = rankOf(c, x)
      if r ~= rank and r ~= rank - 1 then return nil end
      x = all(c, x)
      if r == rank then
        inner = x:size(2)
        local sizes = x:size():totable()
        sizes[2] = sizes[1] * sizes[2]
        table.remove(sizes, 1)
        x = torch.reshape(x, sizes)
      end
      arguments[i] = x
    end
    local results = { c.op(unpack(arguments, 1, n)) }
    for r, y in ipairs(results) do
      if inner then
        local sizes = y:size():totable()
        sizes[1] = inner
        results[r] = torch.reshape(y, joined(c.size, sizes))
      end
    end
    return unpack(results)
  end
end
each('conv1d conv1d_input_grad', joinedBatch(3, 1))
each('conv2d conv2d_input_grad convTranspose2d maxPool2d avgPool2d avgPool2d_grad', joinedBatch(4, 1))
each('conv3d maxPool3d avgPool3d', joinedBatch(5, 1))
each('maxPool2d_grad', joinedBatch(4, 2))

-- Rows of the last dimension; weight and bias are those of all rows. The other results have an element for each row.
each('layerNorm rmsNorm', function(c, x, ...)
  if not c.isBatched(x) or not arePlain(c, 1, ...) then return nil end
  local results = { c.op(x.all, ...) }
  for r = 2, #results do results[r] = torch.reshape(results[r], c.size, results[r]:nElement() / c.size) end
  return unpack(results)
end)

each('groupNorm', function(c, x, groups, ...)
  if not c.isBatched(x) or not arePlain(c, 1, ...) then return nil end
  local sizes = x.all:size():totable()
  local flat = { sizes[1] * sizes[2], unpack(sizes, 3) }
  local y, mean, invstd = c.op(torch.reshape(x.all, flat), groups, ...)
  local count = mean:nElement() / c.size
  return torch.reshape(y, sizes), torch.reshape(mean, c.size, count), torch.reshape(invstd, c.size, count)
end)

-- ---- products

local function matrixProduct(c, a, b)
  if rankOf(c, a) ~= 2 or rankOf(c, b) ~= 2 then return nil end
  if not c.isBatched(b) then
    local rows, inner = a.all:size(2), a.all:size(3)
    return torch.reshape(torch.mm(torch.reshape(a.all, c.size * rows, inner), b), c.size, rows, b:size(2))
  end
  return torch.bmm(all(c, a), b.all)
end
local function column(x) return torch.unsqueeze(x, x:dim() + 1) end
local function columnOut(x) return torch.reshape(x, x:size(1), x:size(2)) end

local function vectorProduct(c, a, x)
  if rankOf(c, a) ~= 2 or rankOf(c, x) ~= 1 then return nil end
  if not c.isBatched(a) then return torch.mm(x.all, torch.t(a)) end
  return columnOut(torch.bmm(a.all, column(all(c, x))))
end
local function dot(c, x, y)
  if not torch.isTensor(x) and not c.isBatched(x) or not torch.isTensor(y) and not c.isBatched(y) then return nil end
  local a, b = all(c, x), all(c, y)
  local n = a:nElement() / c.size
  if n == 0 or b:nElement() ~= a:nElement() then return nil end
  return torch.sum(torch.cmul(torch.reshape(a, c.size, n), torch.reshape(b, c.size, n)), 2)
end
local function batchProduct(c, a, b)
  if rankOf(c, a) ~= 3 or rankOf(c, b) ~= 3 then return nil end
  a, b = all(c, a), all(c, b)
  local n, inner = a:size(2), c.size * a:size(2)
  local y = torch.bmm(torch.reshape(a, inner, a:size(3), a:size(4)), torch.reshape(b, inner, b:size(3), b:size(4)))
  return torch.reshape(y, c.size, n, y:size(2), y:size(3))
end

each('mm', matrixProduct)
each('mv', vectorProduct)
each('dot', dot)
each('bmm', batchProduct)
each('matmul', function(c, a, b)
  local m, n = rankOf(c, a), rankOf(c, b)
  if m == 2 and n == 2 then return matrixProduct(c, a, b) end
  if m == 2 and n == 1 then return vectorProduct(c, a, b) end
  if m == 1 and n == 1 then return dot(c, a, b) end
  if m == 1 and n == 2 then
    if not c.isBatched(b) then return torch.mm(a.all, b) end
    local y = torch.bmm(torch.unsqueeze(all(c, a), 2), b.all)
    return torch.reshape(y, c.size, y:size(3))
  end
  if m == 3 and n == 3 and sizesOf(c, a)[1] == sizesOf(c, b)[1] then return batchProduct(c, a, b) end
end)
each('ger', function(c, x, y)
  if rankOf(c, x) ~= 1 or rankOf(c, y) ~= 1 then return nil end
  return torch.bmm(column(all(c, x)), torch.unsqueeze(all(c, y), 2))
end)

-- Examples with weights of their own are matrices of a batch.
each('linear', function(c, x, weight, bias)
  local rank = rankOf(c, x)
  if not c.isBatched(weight) and not c.isBatched(bias) then
    if rank < 1 then return nil end
    return c.op(x.all, weight, bias)
  end
  if rank ~= 1 and rank ~= 2 then return nil end
  local rows = all(c, x)
  if rank == 1 then rows = torch.unsqueeze(rows, 2) end
  local y = torch.bmm(rows, torch.transpose(all(c, weight), 2, 3))
  if bias then y = torch.add(y, torch.expand(torch.unsqueeze(all(c, bias), 2), y:size())) end
  return rank == 1 and torch.reshape(y, c.size, y:size(3)) or y
end)
each('linear_weight_grad', function(c, g, x)
  local rank = rankOf(c, g)
  if rank ~= rankOf(c, x) or rank ~= 1 and rank ~= 2 then return nil end
  g, x = all(c, g), all(c, x)
  if rank == 1 then g, x = torch.unsqueeze(g, 2), torch.unsqueeze(x, 2) end
  return torch.bmm(torch.transpose(g, 2, 3), x)
end)
each('linear_bias_grad', function(c, g)
  local sizes = g:sizes()
  local n = sizes[#sizes]
  if not n or product(sizes) == 0 then return nil end
  return torch.reshape(torch.sum(torch.reshape(g.all, c.size, product(sizes) / n, n), 2), c.size, n)
end)

-- ---- views

local function sizesFrom(...)
  local first = ...
  if torch.isStorage(first) then return first:totable() end
  if type(first) == 'table' then return first end
  local sizes = { ... }
  for _, size in ipairs(sizes) do
    if type(size) ~= 'number' then return nil end
  end
  return sizes
end

-- The same elements in other sizes; one of these may be -1.
local function reshaped(c, x, ...)
  if not c.isBatched(x) then return nil end
  local sizes = sizesFrom(...)
  if not sizes or product(x:sizes()) == 0 then return nil end
  return torch.reshape(x.all, joined(c.size, sizes))
end
each('view reshape', reshaped)
each('viewAs', function(c, x, template) return reshaped(c, x, sizesOf(c, template)) end)

local function expanded(c, x, sizes)
  if not c.isBatched(x) or not sizes then return nil end
  local own = x:sizes()
  local padded = { c.size }
  for _ = 1, #sizes - #own do padded[#padded + 1] = 1 end
  return torch.expand(torch.reshape(x.all, joined(padded, own)), joined(c.size, sizes))
end
each('expand', function(c, x, ...) return expanded(c, x, sizesFrom(...)) end)
each('expandAs', function(c, x, template)
  if not c.isBatched(x) then return nil end
  return expanded(c, x, sizesOf(c, template))
end)
each('expand_grad', function(c, g, ...)
  local sizes, own = sizesFrom(...), g:sizes()
  local n = product(own)
  if not sizes or n == 0 then return nil end
  if product(sizes) == n then return torch.reshape(g.all, joined(c.size, sizes)) end
  if #sizes > #own then return nil end
  local padded = { c.size }
  for _ = 1, #own - #sizes do padded[#padded + 1] = 1 end
  return torch.reshape(torch.expand_grad(g.all, joined(padded, sizes)), joined(c.size, sizes))
end)
each('t', function(_, x)
  if #x:sizes() ~= 2 then return nil end
  return torch.transpose(x.all, 2, 3)
end)
each('transpose', function(c, x, a, b)
  if not c.isBatched(x) then return nil end
  return torch.transpose(x.all, shifted(a), shifted(b))
end)
each('permute', function(_, x, ...)
  local dims, list = sizesFrom(...), { 1 }
  for i, dim in ipairs(dims) do list[i + 1] = dim < 0 and #dims + 2 + dim or dim + 1 end
  return torch.permute(x.all, unpack(list))
end)
each('squeeze', function(c, x, dim)
  local sizes, kept = x:sizes(), {}
  if dim and dim < 0 then dim = #sizes + 1 + dim end
  for d, size in ipairs(sizes) do
    if size ~= 1 or dim and d ~= dim then kept[#kept + 1] = size end
  end
  if #kept == 0 then kept = { 1 } end
  return torch.reshape(x.all, joined(c.size, kept))
end)
each('select', function(c, x, dim, index)
  if not c.isBatched(x) then return nil end
  if #x:sizes() == 1 then return torch.narrow(x.all, 2, index < 0 and x:size(1) + 1 + index or index, 1) end
  return torch.select(x.all, shifted(dim), index)
end)
each('unsqueeze', function(_, x, dim) return torch.unsqueeze(x.all, dim > 0 and dim + 1 or dim) end)
each('narrow_grad', function(c, g, sizes, dim, first)
  if not c.isBatched(g) then return nil end
  sizes = sizesFrom(sizes)
  return torch.narrow_grad(g.all, joined(c.size, sizes), shifted(dim), first)
end)
each('select_grad', function(c, g, sizes, dim, index)
  sizes = sizesFrom(sizes)
  if #sizes == 1 then return torch.narrow_grad(g.all, joined(c.size, sizes), 2, index < 0 and sizes[1] + 1 + index or index) end
  return torch.select_grad(g.all, joined(c.size, sizes), shifted(dim), index)
end)
each('index', function(c, x, dim, positions)
  if not c.isBatched(x) or c.isBatched(positions) then return nil end
  return torch.index(x.all, shifted(dim), positions)
end)
each('index_grad', function(c, g, sizes, dim, positions)
  if not c.isBatched(g) or c.isBatched(positions) then return nil end
  return torch.index_grad(g.all, joined(c.size, sizesFrom(sizes)), shifted(dim), positions)
end)
each('gather', function(c, x, dim, positions) return torch.gather(all(c, x), shifted(dim), torch.contiguous(all(c, positions))) end)
each('gather_grad', function(c, g, sizes, dim, positions)
  return torch.gather_grad(all(c, g), joined(c.size, sizesFrom(sizes)), shifted(dim), torch.contiguous(all(c, positions)))
end)
each('strided_view', function(c, x, sizes, strides, offset)
  if not c.isBatched(x) then return nil end
  local stride = product(x:sizes())
  return torch.strided_view(torch.contiguous(x.all), joined(c.size, sizesFrom(sizes)), joined(stride, sizesFrom(strides)), offset)
end)
each('strided_scatter', function(c, x, y, sizes, strides, offset)
  local stride = product(sizesOf(c, x))
  return torch.strided_scatter(torch.contiguous(all(c, x)), all(c, y), joined(c.size, sizesFrom(sizes)), joined(stride, sizesFrom(strides)),
    offset)
end)
each('cat', function(c, list, ...)
  if type(list) ~= 'table' or c.isBatched(list) or not arePlain(c, 1, ...) then return nil end
  local dim, rank, parts = ..., nil, {}
  for i, x in ipairs(list) do
    rank = rank or rankOf(c, x)
    if rankOf(c, x) ~= rank or rank == 0 then return nil end
    parts[i] = all(c, x)
  end
  dim = shifted(dim or rank)
  if dim > rank + 1 then return nil end
  return torch.cat(parts, dim)
end)

each('maskedFill', function(c, x, mask, value)
  local a, b = sizesOf(c, x), sizesOf(c, mask)
  if type(value) ~= 'number' or table.concat(a, ',') ~= table.concat(b, ',') then return nil end
  return torch.maskedFill(all(c, x), torch.contiguous(all(c, mask)), value)
end)

--- Returns the batching rule of an op.
-- @string name
-- @treturn ?function
function rules.of(name)
  if byName[name] == nil then
    local info = torch.ops[name]
    byName[name] = info and info.broadcasts and info.dataDependent ~= true and pointwise or false
  end
  return byName[name] or nil
end

return rules
