-- Heat in a plate: `th examples/heat.lua`, and --help for more. Each step moves the temperature of a point toward the mean of its four
-- neighbours; the edges stay cold. Plain loops over the elements of two tensors, which LuaJIT compiles. A plate that starts with a wave of
-- sines keeps this shape and cools by the same factor in each step, so that the result is known: the last line says in how many digits
-- both agree. Source: LeVeque (2007), "Finite Difference Methods for Ordinary and Partial Differential Equations", chapter 9.
local torch = require 'torch'

local command = torch.CmdLine()
command:text 'Cools a plate: th examples/heat.lua'
command:option('--size', 500, 'points in each direction')
command:option('--steps', 200, 'number of steps')

local rate = 0.2      -- of a step: conductivity times time over the squared distance of points; stable up to 0.25

local function step(from, to)
  local n = from:size(1)
  for i = 2, n - 1 do
    local left, centre = from[{ i, 1 }], from[{ i, 2 }]
    for j = 2, n - 1 do
      local right = from[{ i, j + 1 }]
      local around = from[{ i - 1, j }] + from[{ i + 1, j }] + left + right
      to[{ i, j }] = centre + rate * (around - 4 * centre)
      left, centre = centre, right
    end
  end
end

local options = command:parse(arg or {})
local n, steps = options.size, options.steps
if n < 3 or steps < 1 then
  io.stderr:write 'heat: --size: expected 3 or more, --steps: 1 or more\n'
  os.exit(2, true)
end
local wave = torch.sin(torch.linspace(0, 3 * math.pi, n))      -- three half waves
local start = torch.ger(wave, wave)
local plate, next = start:clone(), torch.zeros(n, n)
local timer = torch.Timer()
for _ = 1, steps do
  step(plate, next)
  plate, next = next, plate
end
local time = timer:time().real
local factor = 1 - 8 * rate * math.sin(3 * math.pi / (n - 1) / 2) ^ 2
local expected = start * factor ^ steps
io.write(('%d steps of %d x %d points: %.2f ns per point\n'):format(steps, n, n, time / steps / (n - 2) ^ 2 * 1e9))
io.write(('the plate agrees with the formula in %.1f digits\n'):format(-math.log10((plate - expected):abs():max())))
