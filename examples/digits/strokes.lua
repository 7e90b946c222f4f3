--- Handwritten-looking digits, drawn on the spot: no file is needed to train a classifier.
-- A digit is a few curves in a unit box; a sample bends, shears, turns, scales and shifts them, draws them with a pen of
-- random width by the distance of each pixel to the pen's path, and adds noise. Same seed, same pictures, on any machine.
-- @module digits.strokes
local ffi, bit = require 'ffi', require 'bit'
local floor, sqrt, sin, cos, pi = math.floor, math.sqrt, math.sin, math.cos, math.pi
local min, max, log = math.min, math.max, math.log

local strokes = { side = 28 }
local side = strokes.side

-- Ways to write each digit: a way is a list of curves, a curve a list x1, y1, x2, y2, ... that a smooth line passes through
-- (x to the right, y down). A corner is where one curve ends and the next begins.
local ways = {
  [0] = {
    { { .52, .03, .28, .12, .16, .42, .19, .76, .42, .97, .68, .9, .83, .6, .79, .24, .6, .05, .46, .05 } },
    { { .5, .04, .25, .2, .22, .55, .32, .88, .52, .97, .72, .85, .78, .5, .72, .17, .5, .04 } },
  },
  [1] = {
    { { .52, .03, .51, .35, .5, .7, .49, .97 } },
    { { .34, .24, .45, .15, .55, .03 }, { .55, .03, .53, .5, .53, .97 } },
    { { .36, .22, .53, .04 }, { .53, .04, .53, .96 }, { .32, .96, .75, .96 } },
  },
  [2] = {
    { { .18, .26, .28, .08, .52, .03, .74, .15, .73, .38, .5, .64, .19, .93 }, { .19, .93, .5, .93, .84, .92 } },
    { { .2, .2, .42, .04, .7, .1, .74, .33, .55, .62, .3, .88, .17, .88, .22, .77, .38, .8, .58, .93, .84, .9 } },
  },
  [3] = {
    { { .2, .13, .45, .03, .71, .12, .7, .34, .42, .47 }, { .42, .47, .72, .55, .79, .77, .53, .97, .18, .87 } },
    { { .2, .06, .74, .06 }, { .74, .06, .45, .4 }, { .45, .4, .72, .5, .77, .75, .52, .96, .2, .9 } },
  },
  [4] = {
    { { .28, .05, .23, .32, .19, .58 }, { .19, .58, .5, .58, .84, .55 }, { .68, .04, .66, .5, .62, .97 } },
    { { .62, .04, .38, .34, .13, .63 }, { .13, .63, .87, .62 }, { .62, .04, .62, .97 } },
  },
  [5] = {
    { { .77, .05, .31, .07 }, { .31, .07, .26, .44 }, { .26, .44, .5, .37, .75, .5, .77, .76, .52, .96, .2, .88 } },
    { { .3, .06, .28, .42, .55, .42, .76, .58, .72, .85, .48, .97, .2, .9 }, { .3, .07, .78, .05 } },
  },
  [6] = {
    { { .67, .03, .42, .2, .25, .5, .24, .8, .46, .97, .71, .87, .74, .65, .54, .52, .33, .6, .24, .76 } },
    { { .52, .03, .34, .3, .27, .62, .32, .9, .55, .96, .73, .8, .64, .6, .44, .6, .29, .74 } },
  },
  [7] = {
    { { .18, .08, .5, .08, .81, .07 }, { .81, .07, .62, .42, .43, .97 } },
    { { .18, .08, .81, .07 }, { .81, .07, .6, .45, .42, .97 }, { .34, .52, .74, .48 } },
    { { .17, .22, .2, .09, .5, .1, .8, .06 }, { .8, .06, .58, .45, .5, .97 } },
  },
  [8] = {
    { { .5, .48, .28, .32, .3, .1, .52, .03, .72, .12, .7, .32, .5, .48, .27, .66, .25, .88, .5, .97, .75, .88, .73, .65, .5, .48 } },
    { { .72, .15, .5, .03, .28, .16, .36, .38, .62, .58, .74, .8, .52, .97, .26, .84, .34, .6, .62, .38, .73, .18 } },
  },
  [9] = {
    { { .75, .28, .62, .07, .38, .05, .24, .24, .33, .46, .56, .47, .75, .28 }, { .75, .28, .73, .6, .64, .97 } },
    { { .74, .2, .52, .03, .27, .18, .3, .42, .52, .48, .72, .3, .75, .14 }, { .75, .14, .72, .6, .7, .85, .5, .97, .28, .9 } },
  },
}

--- A stream of uniform numbers in [0, 1) that is the same everywhere (xorshift32).
-- @tparam int seed any whole number
-- @treturn function
function strokes.source(seed)
  local state = bit.tobit(seed * 2654435761 % 4294967296)
  if state == 0 then state = 1 end
  local function draw()
    state = bit.bxor(state, bit.lshift(state, 13))
    state = bit.bxor(state, bit.rshift(state, 17))
    state = bit.bxor(state, bit.lshift(state, 5))
    return (state % 4294967296) / 4294967296
  end
  for _ = 1, 8 do draw() end   -- neighbouring seeds begin alike
  return draw
end

local maxPoints = 512
local path = ffi.new('float[?]', 2 * maxPoints)
local ink = ffi.new('float[?]', side * side)

-- Samples the Catmull-Rom curve through `curve`'s points into `path` from point `n` on; returns the new number of points.
local function sampleCurve(curve, n, steps)
  local last = #curve / 2
  for k = 1, last - 1 do
    local a, d = max(k - 1, 1), min(k + 2, last)
    local ax, ay, bx, by = curve[2 * a - 1], curve[2 * a], curve[2 * k - 1], curve[2 * k]
    local cx, cy, dx, dy = curve[2 * k + 1], curve[2 * k + 2], curve[2 * d - 1], curve[2 * d]
    for s = (k == 1 and 0 or 1), steps do
      local t = s / steps
      local t2, t3 = t * t, t * t * t
      path[2 * n] = .5 * (2 * bx + (cx - ax) * t + (2 * ax - 5 * bx + 4 * cx - dx) * t2 + (3 * bx - ax - 3 * cx + dx) * t3)
      path[2 * n + 1] = .5 * (2 * by + (cy - ay) * t + (2 * ay - 5 * by + 4 * cy - dy) * t2 + (3 * by - ay - 3 * cy + dy) * t3)
      n = n + 1
    end
  end
  return n
end

-- Leaves on each pixel near the segment from point i to i + 1 the ink of a round pen of `radius` pixels with a soft edge.
local function drawSegment(i, radius)
  local x0, y0, x1, y1 = path[2 * i], path[2 * i + 1], path[2 * i + 2], path[2 * i + 3]
  local dx, dy, reach = x1 - x0, y1 - y0, radius + 1
  local scale = 1 / max(dx * dx + dy * dy, 1e-9)
  local left, right = max(0, floor(min(x0, x1) - reach)), min(side - 1, floor(max(x0, x1) + reach) + 1)
  local top, bottom = max(0, floor(min(y0, y1) - reach)), min(side - 1, floor(max(y0, y1) + reach) + 1)
  for y = top, bottom do
    for x = left, right do
      local t = min(1, max(0, ((x - x0) * dx + (y - y0) * dy) * scale))
      local ex, ey = x - x0 - t * dx, y - y0 - t * dy
      local covered = min(1, max(0, radius + .5 - sqrt(ex * ex + ey * ey)))
      local p = y * side + x
      if covered > ink[p] then ink[p] = covered end
    end
  end
end

-- Bends, shears, turns, scales and shifts the first `n` points from the unit box to pixels.
local function deform(n, draw)
  local angle, shear = (draw() - .5) * .6, (draw() - .5) * .64 + .08
  local width, height = 20 * (.62 + .4 * draw()), 20 * (.86 + .2 * draw())
  local shiftX, shiftY = (draw() - .5) * 4, (draw() - .5) * 3
  local bendX, bendY = (draw() - .5) * .26, (draw() - .5) * .24
  local waveX, waveY = 2 + 3.5 * draw(), 2 + 3.5 * draw()
  local phaseX, phaseY = 2 * pi * draw(), 2 * pi * draw()
  local c, s, middle = cos(angle), sin(angle), (side - 1) / 2
  for i = 0, n - 1 do
    local x, y = path[2 * i] - .5, path[2 * i + 1] - .5
    x, y = x + bendX * sin(waveX * y + phaseX), y + bendY * sin(waveY * x + phaseY)
    x, y = width * (x - shear * y), height * y
    path[2 * i], path[2 * i + 1] = c * x - s * y + middle + shiftX, s * x + c * y + middle + shiftY
  end
end

-- Turns the ink into grey values with noise on the written part and a few specks.
local function develop(pixels, draw)
  local strength, grain = 205 + 50 * draw(), 14 + 30 * draw()
  for p = 0, side * side - 1 do
    local grey = ink[p]
    if grey > 0 then
      local normal = sqrt(-2 * log(1 - draw())) * cos(2 * pi * draw())   -- Box and Muller (1958)
      grey = strength * grey + grain * normal
    elseif draw() < .004 then
      grey = 120 * draw()
    end
    pixels[p] = min(255, max(0, floor(grey)))
  end
end

--- Draws one digit.
-- @tparam int digit 0 to 9
-- @tparam cdata pixels `uint8_t *`: 28 rows of 28 grey values, black 0, receive the picture
-- @tparam function draw a stream of uniform numbers, see `source`
function strokes.draw(digit, pixels, draw)
  local way = ways[digit]
  way = way[1 + floor(#way * draw())]
  local radius = .75 + .85 * draw()
  local starts, n = {}, 0
  for k = 1, #way do
    starts[k] = n
    n = sampleCurve(way[k], n, 6)
  end
  starts[#way + 1] = n
  deform(n, draw)
  ffi.fill(ink, ffi.sizeof(ink))
  for k = 1, #way do
    for i = starts[k], starts[k + 1] - 2 do drawSegment(i, radius) end
  end
  develop(pixels, draw)
end

return strokes
