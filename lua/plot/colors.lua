--- Colours: names, the cycle for lines, and maps of values.
-- @module plot.colors
local check = require 'torch.check'

local colors = {}

--- The default colours of lines, in order: matplotlib's (Tableau's ten).
colors.cycle = {
  '#1f77b4', '#ff7f0e', '#2ca02c', '#d62728', '#9467bd', '#8c564b', '#e377c2', '#7f7f7f', '#bcbd22', '#17becf',
}

-- Common CSS names; MATLAB's letters with matplotlib's values.
local names = {
  r = '#ff0000', g = '#008000', b = '#0000ff', c = '#00bfbf', m = '#bf00bf', y = '#bfbf00', k = '#000000', w = '#ffffff',
  red = '#ff0000', green = '#008000', blue = '#0000ff', cyan = '#00ffff', magenta = '#ff00ff', yellow = '#ffff00', black = '#000000',
  white = '#ffffff',
  gray = '#808080', grey = '#808080', lightgray = '#d3d3d3', darkgray = '#a9a9a9', orange = '#ffa500', purple = '#800080',
  brown = '#a52a2a', pink = '#ffc0cb', olive = '#808000', navy = '#000080', teal = '#008080', lime = '#00ff00', gold = '#ffd700',
  silver = '#c0c0c0',
  maroon = '#800000', indigo = '#4b0082', violet = '#ee82ee', salmon = '#fa8072', coral = '#ff7f50', crimson = '#dc143c',
  steelblue = '#4682b4', skyblue = '#87ceeb', tomato = '#ff6347', turquoise = '#40e0d0', khaki = '#f0e68c', orchid = '#da70d6',
  forestgreen = '#228b22', firebrick = '#b22222', darkorange = '#ff8c00', royalblue = '#4169e1', slategray = '#708090', tan = '#d2b48c',
}

local function hex(r, g, b) return ('#%02x%02x%02x'):format(r, g, b) end

local function byte(x) return math.max(0, math.min(255, math.floor(x * 255 + 0.5))) end

--- A colour as '#rrggbb'.
-- @string where prefix of error messages
-- @param color a name, one of MATLAB's letters, '#rgb', '#rrggbb', 'C0' to 'C9' (of the cycle), '0.5' (a grey), or {r, g, b} from 0 to 1
-- @treturn string
function colors.of(where, color)
  if type(color) == 'table' and #color == 3 then return hex(byte(color[1]), byte(color[2]), byte(color[3])) end
  if type(color) == 'string' then
    if names[color] then return names[color] end
    if color:find '^#%x%x%x%x%x%x$' then return color:lower() end
    if color:find '^#%x%x%x$' then return (color:lower():gsub('%x', '%0%0')) end
    if color:find '^C%d$' then return colors.cycle[tonumber(color:sub(2)) + 1] end
    local grey = tonumber(color)
    if grey and grey >= 0 and grey <= 1 then return hex(byte(grey), byte(grey), byte(grey)) end
  end
  check.raise(("%s: color: %s, expected a name such as 'red', '#rrggbb', 'C0' to 'C9', '0.5' or {r, g, b}"):format(where, tostring(color)))
end

--- Red, green and blue, from 0 to 1, of '#rrggbb'.
-- @string color
-- @treturn number
-- @treturn number
-- @treturn number
function colors.parts(color)
  return tonumber(color:sub(2, 3), 16) / 255, tonumber(color:sub(4, 5), 16) / 255, tonumber(color:sub(6, 7), 16) / 255
end

-- Points of maps, between which colours are interpolated. viridis, plasma and inferno: S. van der Walt and N. Smith (2015), CC0.
local maps = {
  viridis = '440154 481668 482878 3f4788 365c8d 2e6f8e 277f8e 21908d 1fa187 2db27d 4ac16d 73d056 a0da39 d0e11c fde725',
  plasma = '0d0887 350498 5302a3 6f00a8 8b0aa5 a31e9a b83289 cb4679 db5c68 e97158 f48849 fba139 febd2a fada24 f0f921',
  inferno = '000004 0d0829 280b54 480b6a 65156e 82206c 9f2a63 bb3754 d44842 e65d2f f57d15 fca108 fac62d f2ea69 fcffa4',
  gray = '000000 ffffff', Greys = 'ffffff 000000', jet = '000080 0000ff 0080ff 00ffff 80ff80 ffff00 ff8000 ff0000 800000',
  hot = '0b0000 ff0000 ffff00 ffffff', coolwarm = '3b4cc0 6788ee 9abbff c9d7f0 edd1c2 f7a889 e26952 b40426',
  RdBu = '67001f b2182b d6604d f4a582 fddbc7 f7f7f7 d1e5f0 92c5de 4393c3 2166ac 053061', Blues = 'f7fbff c6dbef 6baed6 2171b5 08306b',
}

local function points(text)
  local list = {}
  for r, g, b in text:gmatch '(%x%x)(%x%x)(%x%x)' do list[#list + 1] = { tonumber(r, 16), tonumber(g, 16), tonumber(b, 16) } end
  return list
end

--- The names of all maps.
-- @treturn {string,...}
function colors.maps()
  local list = {}
  for name in pairs(maps) do list[#list + 1] = name end
  table.sort(list)
  return list
end

--- A map of values to colours.
-- @string where prefix of error messages
-- @string name viridis, plasma, inferno, gray, Greys, jet, hot, coolwarm, RdBu, Blues; reversed with the suffix _r
-- @treturn function of a value from 0 to 1 (clamped), which returns red, green and blue as bytes
function colors.map(where, name)
  local text = type(name) == 'string' and maps[name:gsub('_r$', '')]
  if not text then check.raise(('%s: cmap: %s, expected one of %s'):format(where, tostring(name), table.concat(colors.maps(), ', '))) end
  local list, reversed = points(text), name:find '_r$'
  local floor = math.floor
  return function(value)
    if value ~= value then return 255, 255, 255 end
    value = math.max(0, math.min(1, reversed and 1 - value or value)) * (#list - 1)
    local i = math.min(floor(value), #list - 2)
    local a, b, t = list[i + 1], list[i + 2], value - i
    return floor(a[1] + (b[1] - a[1]) * t + 0.5), floor(a[2] + (b[2] - a[2]) * t + 0.5), floor(a[3] + (b[3] - a[3]) * t + 0.5)
  end
end

return colors
