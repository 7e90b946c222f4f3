-- Derivatives of views and of ops that rearrange elements.
local torch = require 'torch'
local rules = require 'autograd.rules'
local tape, elements, slicesOf = require 'autograd.tape', require 'torch.names.element_count', require 'autograd.slices'

local complex = require 'torch.names.complex'

local saving = rules.saving

for _, name in ipairs { 'viewAs', 'reshape', 'squeeze', 'unsqueeze' } do rules[name] = { 'reshape(g, size(x))' } end
rules.view = { 'reshape(g, sizeOf(x))' }
for _, name in ipairs { 'view', 'viewAs', 'reshape', 'squeeze', 'unsqueeze' } do rules.plain[name] = { 'view(contiguous(g), size(x))' } end

rules.expand, rules.expandAs = { 'expand_grad(g, sizeOf(x))' }, { 'expand_grad(g, sizeOf(x))' }
rules.expand_grad = { saving('size(g)', function(h, size)
  if h:nElement() == elements(size) then return torch.reshape(h, size) end
  return torch.expand(h, size)
end) }

-- Parts of complex numbers, and numbers of parts.
local function asComplex(g) return complex.is(g) and g or torch.complex(g, 0) end      -- the gradient of a real part is real
rules.real = { 'g' }
rules.imag = { saving('', function(g) return torch.mul(g, complex.number(0, 1)) end) }
rules.complex = { 'real(g)', saving('', function(g) return torch.imag(asComplex(g)) end) }
rules.viewAsReal = { 'viewAsComplex(contiguous(g))' }
rules.viewAsComplex = { saving('', function(g) return torch.viewAsReal(asComplex(g)) end) }

rules.contiguous, rules.channelsLast = { 'g' }, { 'g' }
rules.plain.channelsLast = { 'channelsLast(g)' }                   -- probably the argument's memory format
rules.transpose = { 'transpose(g, dim1, dim2)' }
rules.t = { 't(g)' }
rules.permute = { saving('dims', function(g, dims)
  local back = {}
  for i = 1, #dims do back[dims[i] < 0 and dims[i] + #dims + 1 or dims[i]] = i end
  return torch.permute(g, back)
end) }
rules.narrow = { 'narrow_grad(g, sizeOf(x), dim, first)' }
rules.select = { 'select_grad(g, sizeOf(x), dim, index)' }
-- Their derivatives are the views themselves. A slice of a vector is one element; select returns it as a number if nothing is recorded.
rules.narrow_grad = { saving('size(g), dim, first', function(h, size, dim, first)
  return slicesOf(h, dim, first, size[dim < 0 and #size + 1 + dim or dim])
end) }
rules.select_grad = { saving('size(g), dim, index', function(h, size, dim, index)
  return torch.reshape(torch.narrow(h, h:dim() == 1 and 1 or dim, index, 1), size)
end) }
rules.sub_grad = { 'sub(h, ranges)' }

-- Windows may overlap: each step adds one element of all windows.
local foldBack = tape.declare('unfold backward', function(g, size, dim, length, step)
  local whole = g.new():resize(size):zero()
  local windows = torch.unfold(whole, dim, length, step)
  local last = windows:dim()
  for i = 1, length do windows:narrow(last, i, 1):add(torch.narrow(g, last, i, 1)) end
  return whole
end, { arguments = { 'windows', 'size', 'dim', 'length', 'step' }, 'unfold(g, dim, length, step)' })
rules.unfold = { saving('size(x), dim, size, step', foldBack) }

rules.sub = { 'sub_grad(g, sizeOf(x), ranges)' }

-- Overlapping elements are added one by one (a write through overlapping strides is sequential).
local ontoStrides = tape.declare('as_strided backward', function(g, size, sizes, strides, first)
  local whole = g.new():resize(size):zero()
  if g:nElement() > 0 then torch.as_strided(whole, sizes, strides, first):add(g) end
  return whole
end, { arguments = { 'x', 'size', 'sizes', 'strides', 'first' }, 'as_strided(contiguous(g), sizes, strides, first)' })
-- Positions count in the storage, of which the argument shows a part; the view must lie within this part.
rules.as_strided = { saving('like(x), sizes, strides, offset', function(g, x, sizes, strides, offset)
  local first, last = offset - x:storageOffset() + 1, 0
  for d = 1, #sizes do last = last + (sizes[d] - 1) * strides[d] end
  if not x:isContiguous() or first < 1 or first + last > x:nElement() then
    error('as_strided: backward: it reaches past its argument into the storage, which the tape cannot follow', 0)
  end
  return ontoStrides(g, x:size(), sizes, strides, first)
end) }

rules.strided_view = { saving('size(x), sizes, strides, offset', function(g, size, sizes, strides, offset)
  return ontoStrides(g, size, sizes, strides, offset)
end) }
rules.strided_scatter = {
  saving('y, sizes, strides, offset', function(g, y, sizes, strides, offset)
    return torch.strided_scatter(g, torch.mul(y, 0), sizes, strides, offset)
  end),
  'strided_view(g, sizes, strides, offset)',
}

-- Makes a matrix from a vector, and a vector from a matrix.
local ontoDiagonal = tape.declare('diag backward', function(g, size, k)
  local whole = g.new():resize(size):zero()
  local first = k >= 0 and 1 + k or 1 - k * size[2]
  if g:nElement() > 0 then torch.as_strided(whole, { g:nElement() }, { size[2] + 1 }, first):copy(g) end
  return whole
end, { arguments = { 'x', 'size', 'k' }, 'diag(g, k)' })
rules.diag = { saving('size(x), k', function(g, size, k)
  if #size == 1 then return torch.diag(g, k) end
  return ontoDiagonal(g, size, k)
end) }

-- Splits each dimension into counts and sizes, and sums over the counts.
rules.repeatTensor = { saving('size(x), counts', function(g, whole, counts)
  local extra, split, once = #counts - #whole, {}, {}
  for i = 1, #counts do
    local size = i > extra and whole[i - extra] or 1
    split[2 * i - 1], split[2 * i], once[2 * i - 1], once[2 * i] = counts[i], size, 1, size
  end
  return torch.view(torch.expand_grad(torch.view(torch.contiguous(g), torch.LongStorage(split)), torch.LongStorage(once)), whole)
end) }

-- Returns the part of g for a tensor of this size, and the start of the next part.
local function part(g, size, dim, first)
  if #size == 0 or #size == 1 and size[1] == 0 and g:dim() > 1 then return nil, first end      -- the op skipped it
  local length = dim <= #size and size[dim] or 1
  local slices = slicesOf(g, dim, first, length)
  return #size < g:dim() and torch.reshape(slices, size) or slices, first + length
end

rules.cat = saving('size(tensors), size(a), size(b), dim', function(g, tensors, a, b, dim)
  if dim < 0 then dim = g:dim() + 1 + dim end
  local first = 1
  if tensors then
    local parts = {}
    for i = 1, #tensors do parts[i], first = part(g, tensors[i], dim, first) end
    return parts
  end
  local ga, gb
  ga, first = part(g, a, dim, first)
  gb = part(g, b, dim, first)
  return nil, ga, gb
end)
