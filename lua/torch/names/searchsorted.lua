--- The forms of torch.searchsorted with `side` and `sorter`, as in NumPy and PyTorch. torch.names.named_options calls this module.
-- @module torch.names.searchsorted
local torch, check = require 'torch', require 'torch.check'

-- Returns whether elements of x go right of equal ones.
local function rightOf(side, right)
  if side == nil then return check.flag('searchsorted', 'right', right or false) end
  local isRight = check.choice('searchsorted', 'side', side, { 'left', 'right' }) == 'right'
  if right ~= nil and check.flag('searchsorted', 'right', right) ~= isRight then
    check.raise(('searchsorted: side: %s, expected the same as right'):format(check.describe(side)))
  end
  return isRight
end

--- Returns the positions at which elements of x would be inserted.
-- @tparam torch.Tensor sorted ascending, or with a sorter in any order
-- @tparam torch.Tensor|number x
-- @tparam table|string options `side` ('left' or 'right'), `right`, `sorter`: the order that sorts `sorted`, of torch.sort; or the side
-- @tparam[opt] torch.LongTensor sorter
-- @return nothing if the arguments have another form
return function(sorted, x, options, sorter)
  if not torch.isTensor(sorted) then return end
  if type(options) == 'string' then options = { side = options, sorter = sorter } end
  if type(options) ~= 'table' or torch.typename(options) or getmetatable(options) then return end
  options = check.options('searchsorted', options, { 'side', 'right', 'sorter' })
  local isRight, order = rightOf(options.side, options.right), options.sorter
  if order ~= nil then
    check.tensor('searchsorted', 'sorter', order)
    if not torch.isSameSize(order, sorted) then
      check.raise(('searchsorted: sorter: sizes [%s], expected [%s], those of sorted'):format(table.concat(order:size():totable(), ', '),
        table.concat(sorted:size():totable(), ', ')), 'shape')
    end
    sorted = torch.gather(sorted:detach(), sorted:dim(), order:long())
  end
  return check.call(torch.searchsorted, sorted, x, isRight)
end
