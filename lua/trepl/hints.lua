--- What to say beside Lua's "attempt to call field 'zeros_like' (a nil value)": the name that is meant, where it has another here.
-- @module trepl.hints
local hints = {}

-- Names of NumPy and PyTorch -> ours.
local ours = {
  shape = '#x or x:size()', len = '#x or x:size(1)', tolist = 'x:totable()', numpy = 'torch.npy.save(name, x)', array = 'torch.Tensor{...}',
  item = 'a Lua number already: sums and single elements come out as numbers', concatenate = 'torch.cat', concat = 'torch.cat',
  hstack = 'torch.cat(tensors, 2)', vstack = 'torch.cat(tensors, 1)', tile = 'x:repeatTensor(...)', maximum = 'torch.cmax',
  minimum = 'torch.cmin', multiply = 'torch.cmul', subtract = 'torch.csub', divide = 'torch.cdiv', negative = 'torch.neg',
  absolute = 'torch.abs', power = 'torch.pow', seed = 'torch.manualSeed', no_grad = 'torch.noGrad(f)', requires_grad = 'x:requiresGrad()',
  astype = "x:type('torch.FloatTensor'), x:float(), ...", cuda = 'nothing: there is no GPU', cpu = 'nothing: tensors are there already',
  from_numpy = 'torch.npy.load(name)', index_select = 'x:index(dim, positions)', masked_select = 'x:maskedSelect(mask)',
  transpose_ = 'x:transpose(a, b)', swapaxes = 'x:transpose(a, b)', is_tensor = 'torch.isTensor', device = 'nothing: there is no GPU',
  repeat_interleave = 'x:index(dim, positions)', get_default_dtype = 'torch.getdefaulttensortype', int32 = 'torch.IntTensor',
}

local function camel(name) return (name:gsub('_(%a)', string.upper)) end

-- The name if torch or a tensor has it.
local function known(torch, name)
  if torch[name] ~= nil then return 'torch.' .. name end
  if torch.Tensor[name] ~= nil then return 'x:' .. name .. '(...)' end
end

--- A line to add to a message, nil for most.
-- @string message an error's
-- @treturn ?string
function hints.of(message)
  local name = message:match "attempt to call %a+ '([%w_]+)' %(a nil value%)" or message:match "attempt to index field '([%w_]+)' %(a nil"
  local torch = package.loaded.torch
  if not name or not torch then
    if torch and message:find('attempt to compare', 1, true) and message:find('userdata', 1, true) then
      return 'hint: tensors are compared by torch.lt, le, gt, ge, eq and ne: x:gt(2)'
    end
    return message:find "attempt to index a number value" and torch and 'hint: what is one element comes out as a Lua number' or nil
  end
  local plain = name:gsub('_$', '')
  local found = ours[name] or known(torch, camel(plain)) or ours[plain] or known(torch, camel(plain:gsub('_', '')))
  if not found then return nil end
  local inPlace = name ~= plain and ': methods such as x:add(1) change x' or ''
  return ('hint: %s is %s here%s'):format(name, found, inPlace)
end

return hints
