--- The kernel's logo in launchers: a crescent moon with a spark.
-- @module notebook.logo
local logo = {}

local night, moon = { 24, 38, 74 }, { 255, 214, 102 }

-- In a square of side 64: the moon's disk, the disk cut out of it, and the spark in its opening.
local disk, cut, spark = { 29, 34, 22 }, { 39, 27, 18 }, { 43, 23, 9 }

local function hex(colour) return ('#%02x%02x%02x'):format(unpack(colour)) end

--- As SVG.
-- @treturn string
function logo.svg()
  local x, y, r = unpack(spark)
  local d, c = disk, cut
  return ([[<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">
<mask id="m"><rect width="64" height="64" fill="#000"/><circle cx="%d" cy="%d" r="%d" fill="#fff"/><circle cx="%d" cy="%d" r="%d"/></mask>
<rect width="64" height="64" rx="10" fill="%s"/><rect width="64" height="64" mask="url(#m)" fill="%s"/>
<path d="M%d %dQ%d %d %d %dQ%d %d %d %dQ%d %d %d %dQ%d %d %d %dZ" fill="%s"/></svg>
]]):format(d[1], d[2], d[3], c[1], c[2], c[3], hex(night), hex(moon), x, y - r, x, y, x + r, y, x, y, x, y + r, x, y, x - r, y, x, y, x,
    y - r, hex(moon))
end

local function inside(circle, x, y) return (x - circle[1]) ^ 2 + (y - circle[2]) ^ 2 <= circle[3] ^ 2 end

-- Whether a point is in the moon or in the spark, whose arms are bounded by parabolas.
local function isLight(x, y)
  if inside(disk, x, y) and not inside(cut, x, y) then return true end
  local dx, dy = math.abs(x - spark[1]) / spark[3], math.abs(y - spark[2]) / spark[3]
  return math.sqrt(dx) + math.sqrt(dy) <= 1
end

local SAMPLES = 4      -- per side of a pixel

--- As a PNG file.
-- @int size pixels per side
-- @treturn ?string nil without zlib
function logo.png(size)
  local rows = {}
  for row = 0, size * size - 1 do
    local light = 0
    for sample = 0, SAMPLES * SAMPLES - 1 do
      local x = (row % size + (sample % SAMPLES + 0.5) / SAMPLES) * 64 / size
      local y = (math.floor(row / size) + (math.floor(sample / SAMPLES) + 0.5) / SAMPLES) * 64 / size
      if isLight(x, y) then light = light + 1 / (SAMPLES * SAMPLES) end
    end
    local colour = {}
    for c = 1, 3 do colour[c] = math.floor(night[c] + (moon[c] - night[c]) * light + 0.5) end
    rows[row + 1] = string.char(unpack(colour))
  end
  local good, png = pcall(require 'plot.pixels', { width = size, height = size, rgb = table.concat(rows) })
  return good and png or nil
end

return logo
