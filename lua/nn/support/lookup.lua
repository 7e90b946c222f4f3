--- Rows of a matrix by their positions, with the options of embeddings.
-- @module nn.support.lookup
local torch, C = require 'torch', require 'libmoontorch'

local lookup = {}

--- Limits the norms of the rows that are used, in the matrix itself.
-- @tparam torch.Tensor weight
-- @tparam torch.LongTensor rows
-- @number maxNorm
-- @number kind of norm
function lookup.renorm(weight, rows, maxNorm, kind)
  if rows:nElement() == 0 then return end
  local used = weight:index(1, rows)
  local norms = used:norm(kind, 2):view(-1)
  local factors = norms:clone():fill(1)
  local long = norms:gt(maxNorm)
  factors[long] = norms[long]:add(1e-7):cinv():mul(maxNorm)
  weight:indexCopy(1, rows, used:cmul(factors:view(-1, 1):expandAs(used)))
end

--- Returns the share of each use in the gradient of its row: 0 for padding.
-- @tparam torch.Tensor weight
-- @tparam torch.LongTensor rows
-- @tparam ?int padding a row
-- @tparam boolean byFrequency whether gradients are divided by the number of uses
-- @treturn torch.Tensor a column
function lookup.shares(weight, rows, padding, byFrequency)
  local share = weight.new(rows:nElement()):fill(1)
  if byFrequency then
    local counts = share.new(weight:size(1)):zero():indexAdd(1, rows, share)
    share:cdiv(counts:index(1, rows))
  end
  if padding and padding > 0 then share[rows:eq(padding)] = 0 end
  return share:view(-1, 1)
end

--- Returns the matrix, whose rows have gradients divided by the number of their uses.
-- @tparam torch.Tensor weight
-- @tparam torch.LongTensor rows
-- @treturn torch.Tensor
function lookup.sharedByUses(weight, rows)
  if not C.tracked(weight) or rows:nElement() == 0 then return weight end
  local held = weight:detach()
  local uses = held.new(held:size(1)):zero():indexAdd(1, rows, held.new(rows:nElement()):fill(1)):cmax(1)
  return torch.add(held, torch.cdiv(torch.csub(weight, held), uses:view(-1, 1):expandAs(held)))
end

--- Returns the rows, whose gradient has these shares.
-- @tparam torch.Tensor weight
-- @tparam torch.LongTensor rows a vector
-- @tparam[opt] table options maxNorm, normType, padding, byFrequency
-- @treturn torch.Tensor
function lookup.rows(weight, rows, options)
  if options.maxNorm then torch.noGrad(lookup.renorm, weight, rows, options.maxNorm, options.normType or 2) end
  local used = torch.index(weight, 1, rows)
  if not (options.padding or options.byFrequency) or not C.tracked(weight) or rows:nElement() == 0 then return used end
  local held = used:detach()
  local shares = lookup.shares(weight:detach(), rows, options.padding, options.byFrequency)
  return torch.add(held, torch.cmul(torch.csub(used, held), shares:expandAs(held)))
end

return lookup
