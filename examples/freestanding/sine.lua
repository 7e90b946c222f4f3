-- Trains a network for the sine, and writes it as sine.onnx and, for programs without files, as an array of C, sine.h.
--
--     th sine.lua [FOLDER]
local torch, nn, optim, onnx = require 'torch', require 'nn', require 'optim', require 'onnx'
local folder = arg[1] or '.'

torch.manualSeed(1)
local net = nn.Sequential():add(nn.Linear(1, 16)):add(nn.Tanh()):add(nn.Linear(16, 16)):add(nn.Tanh())
  :add(nn.Linear(16, 1)):float():requiresGrad()
local criterion, step = nn.MSECriterion():float(), optim.Adam(net:parameters())
local x = torch.linspace(0, 2 * math.pi, 200):float():view(-1, 1)
local y = torch.sin(x)
local steps = 3000
for i = 1, steps do
  step:setOption('learningRate', 0.02 * (1 - i / steps))
  step:zeroGrad()
  criterion(net(x), y):backward()
  step:step()
end
net:evaluate()
print(('largest error: %.3f'):format((net(x) - y):abs():max():item()))

local path = folder .. '/sine.onnx'
onnx.save(net, path, { inputs = torch.FloatTensor(1, 1), inputNames = { 'x' } })
local file = assert(io.open(path, 'rb'))
local bytes = file:read '*a'
file:close()
local numbers = { bytes:byte(1, -1) }
local rows = {}
for i = 1, #numbers, 24 do rows[#rows + 1] = '  ' .. table.concat(numbers, ', ', i, math.min(i + 23, #numbers)) end
file = assert(io.open(folder .. '/sine.h', 'w'))
file:write('/* The bytes of sine.onnx; written by sine.lua. */\nstatic const unsigned char sine[] = {\n',
  table.concat(rows, ',\n'), '\n};\n')
file:close()
