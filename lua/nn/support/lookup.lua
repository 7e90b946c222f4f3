--- Rows of a matrix by their positions, with the options of embeddings.
-- @module nn.support.lookup
local torch, C = require 'torch', require 'libmoontorch'
local node, private, RowGradient = require 'autograd.node', require 'autograd.private_tape', require 'autograd.row_gradient'

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

-- Whether gradients may be rows: the matrix is a leaf of the program's tape. Torch7's protocol has a dense gradWeight.
local function mayBeSparse(weight)
  local n = C.gradMode() and C.node(weight)
  return n and node.isLeaf(n) and not private.isRunning()
end

-- Returns the rows, whose gradient leaves rows at the matrix: all but those of padding.
local function sparseRows(weight, rows, options)
  local shares = (options.padding or options.byFrequency)
    and lookup.shares(weight:detach(), rows, options.padding, options.byFrequency)
  return RowGradient.select(weight, rows, function(numbers, g)
    if not shares or rows:nElement() == 0 then return numbers, g end
    local counted = torch.nonzero(shares:view(-1)):view(-1)
    if counted:nElement() == 0 then return numbers:narrow(1, 1, 0), g:narrow(1, 1, 0) end
    return numbers:index(1, counted), torch.cmul(g, shares:expandAs(g)):index(1, counted)
  end)
end

--- Returns the rows, whose gradient has these shares.
-- @tparam torch.Tensor weight
-- @tparam torch.LongTensor rows a vector
-- @tparam[opt] table options maxNorm, normType, padding, byFrequency, sparse: the gradient of the matrix has rows (torch.RowGradient)
-- @treturn torch.Tensor
function lookup.rows(weight, rows, options)
  if options.maxNorm then torch.noGrad(lookup.renorm, weight, rows, options.maxNorm, options.normType or 2) end
  if options.sparse and mayBeSparse(weight) then return torch.noGrad(sparseRows, weight, rows, options) end
  local used = torch.index(weight, 1, rows)
  if not (options.padding or options.byFrequency) or not C.tracked(weight) or rows:nElement() == 0 then return used end
  local held = used:detach()
  local shares = lookup.shares(weight:detach(), rows, options.padding, options.byFrequency)
  return torch.add(held, torch.cmul(torch.csub(used, held), shares:expandAs(held)))
end

return lookup
