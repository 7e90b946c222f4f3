-- A table that is read, cleaned, joined, summed up and drawn: `th examples/table.lua [PICTURE]`. Measurements of 344 penguins
-- (examples/data/penguins.csv) become sizes by species, sex and island, and how the mass follows the flipper within each species.
local data, plot, torch = require 'data', require 'plot', require 'torch'
local here = arg[0]:match '^(.*)/[^/]*$' or '.'

local types = { species = 'category', island = 'category', sex = 'category' }
local all = data.csv.load(here .. '/data/penguins.csv', { types = types })
local penguins = all:dropMissing { 'sex', 'body_mass_g' }:rename { body_mass_g = 'mass', flipper_length_mm = 'flipper' }
  :assign { bill = 'bill_length_mm / bill_depth_mm', heavy = 'mass > 4500' }
print(('%d of %d penguins are known by sex and mass'):format(penguins:size(), all:size()))

local bySpecies = penguins:groupBy 'species'
print(bySpecies:aggregate {
  penguins = { 'mass', 'count' }, heavy = 'mean', mass = { 'mean', 'std', { quantile = 0.9 } }, islands = { 'island', 'nunique' },
})
print(penguins:pivotTable { index = 'species', columns = 'sex', values = 'mass' })
print(penguins:pivotTable { index = 'island', columns = 'species', values = 'mass', aggregate = 'count', fill = 0 })

-- The line of least squares of each species, and what it leaves of the variance.
local function lineOf(rows)
  local x, y = rows.flipper:double(), rows.mass:double()
  local line = torch.polyfit(x, y, 1)
  local rest = y - torch.polyval(line, x)
  return { slope = line[1], intercept = line[2], explained = 1 - rest:var() / y:var() }
end
local lines = {}
for species, rows in bySpecies:each() do
  local line = lineOf(rows)
  line.species = species
  lines[#lines + 1] = line
end
lines = data.Frame.fromRows(lines, { 'species', 'slope', 'intercept', 'explained' })
print(lines)

-- Who is far from the line of the own species?
local far = penguins:join(lines, 'species')
  :assign { rest = 'mass - intercept - slope * flipper' }
  :select { 'species', 'sex', 'island', 'flipper', 'mass', 'rest' }
  :sort('rest', { descending = true })
print(far:head(3))
print(far:tail(2))

plot.figure { width = 900, height = 340 }
local left, right = plot.subplot(1, 2, 1), plot.subplot(1, 2, 2)
local k = 0
for species, rows in bySpecies:each() do
  left:scatter(rows, 'flipper', 'mass', { label = species, alpha = 0.5, s = 16, color = 'C' .. k })
  local line = lines:filter(("species == '%s'"):format(species)):get(1)
  local ends = rows:sort('flipper'):assign { line = ('%.17g + %.17g * flipper'):format(line.intercept, line.slope) }
  left:plot(ends, 'flipper', 'line', { color = 'C' .. k })
  right:hist(rows, 'bill', { bins = 16, alpha = 0.5, label = species })
  k = k + 1
end
left:legend { loc = 'upper left' }
right:xlabel 'bill: length / depth':ylabel 'penguins'
plot.save(arg[1] or 'table.svg')
