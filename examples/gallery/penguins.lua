-- Three species of penguins by their measurements, with the line of least squares of each: `th examples/gallery/penguins.lua [FILE]`.
local torch, data, plot = require 'torch', require 'data', require 'plot'
local here = arg[0]:match '^(.*)/[^/]*$' or '.'

local penguins = data.csv.load(here .. '/../data/penguins.csv', { types = { species = 'category' } })
  :dropMissing { 'flipper_length_mm', 'body_mass_g' }
local x, y, species = penguins:numbers 'flipper_length_mm', penguins:numbers 'body_mass_g', penguins.species

plot.figure { width = 800, height = 340 }
local left, right = plot.subplot(1, 2, 1), plot.subplot(1, 2, 2)
for k, name in ipairs(penguins.categories.species) do
  local rows = species:eq(k)
  local flipper, mass = x[rows], y[rows]
  left:scatter(flipper, mass, { label = name, alpha = 0.5, s = 16 })
  local n = flipper:size(1)
  local line = torch.gels(mass:view(n, 1), torch.cat(torch.ones(n, 1), flipper:view(n, 1), 2))
  local ends = torch.Tensor { flipper:min(), flipper:max() }
  left:plot(ends, ends * line[2][1] + line[1][1], 'C' .. k - 1)
  right:hist(mass, { bins = 16, alpha = 0.5, label = name })
end
left:xlabel 'flipper [mm]':ylabel 'mass [g]':legend { loc = 'upper left' }
right:xlabel 'mass [g]':ylabel 'penguins'
plot.save(arg[1] or 'penguins.svg')
