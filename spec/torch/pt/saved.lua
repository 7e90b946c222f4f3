-- Writes a file of torch.pt.save, which `python3 figures.py check FILE` reads with PyTorch: `th spec/torch/pt/saved.lua FILE`.
local torch = require 'torch'

-- The value, for this and saving_spec.lua.
local function state()
  local alpha, list = torch.range(1, 6):float():view(2, 3), { 1, { 2.5, 'x' }, torch.pt.none, {} }
  list[4] = torch.pt.load 'spec/torch/pt/zip.pt'.list[4][2]      -- an empty list: {} is a dictionary
  local more = {}
  for i, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Double', 'Bool', 'UInt16', 'UInt32',
    'UInt64', 'Float8E4m3', 'Float8E5m2' } do
    more[i] = torch[kind .. 'Tensor'](3):copy(torch.FloatTensor { 1, 0, 1 })
  end
  return {
    alpha = alpha, view = alpha:t(), list = list, same = list, more = more, none = torch.FloatTensor(),
    beta = { int = -3, wide = 2 ^ 40, long = 2LL ^ 62 + 1, half = 0.5, text = 'café', raw = '\255\0', yes = true, [7] = 'seven' },
  }
end

if arg and arg[0] and arg[0]:find 'saved.lua$' then torch.pt.save(arg[1], state()) end
return state
