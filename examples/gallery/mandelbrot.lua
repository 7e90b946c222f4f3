-- The Mandelbrot set by a loop over elements, which LuaJIT compiles: `th examples/gallery/mandelbrot.lua [FILE]`.
local torch, plot = require 'torch', require 'plot'

local width, height, limit = 600, 400, 200
local counts = torch.Tensor(height, width)
local p = counts:data()
for row = 0, height - 1 do
  for column = 0, width - 1 do
    local cr, ci = -2.2 + 3.2 * column / width, -1.07 + 2.14 * row / height
    local zr, zi, n = 0, 0, 0
    while zr * zr + zi * zi < 256 and n < limit do
      zr, zi, n = zr * zr - zi * zi + cr, 2 * zr * zi + ci, n + 1
    end
    -- how far between two counts it escaped makes the colours smooth
    p[row * width + column] = n < limit and n + 1 - math.log(math.log(zr * zr + zi * zi) / 2) / math.log(2) or 0
  end
end
plot.figure { width = 720, height = 500 }
plot.imshow(torch.log(counts + 1), { cmap = 'inferno', extent = { -2.2, 1, -1.07, 1.07 } })
plot.xlabel 'real part'
plot.ylabel 'imaginary part'
plot.save(arg[1] or 'mandelbrot.svg')
