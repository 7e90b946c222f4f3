--- Draws axes within a box: limits, ticks, frame, labels, legend.
-- @module plot.layout
local scale = require 'plot.scale'

local layout = {}

local tickSize, labelSize, titleSize, black = 10, 11, 13, '#000000'
local tickLength, gap = 3.5, 4
local farthest = 1e5      -- pixels; points farther out are clipped anyway

-- The approximate width of a text in common fonts.
local function widthOf(text, size)
  local count = 0
  for _ in text:gmatch '[^\128-\191]' do count = count + 1 end
  return count * size * 0.62
end

local function extend(limits, low, high)
  if low and (not limits[1] or low < limits[1]) then limits[1] = low end
  if high and (not limits[2] or high > limits[2]) then limits[2] = high end
end

-- The limits of both axes, transformed by their scales' `forward`. `group` has all axes at the same position: a shared axis covers the
-- data of all of them.
local function limitsOf(axes, group)
  local x, y, tight, sticky = {}, {}, false, {}
  for _, member in ipairs(group) do
    for _, artist in ipairs(member.artists) do
      local xl, xh, yl, yh = artist.limits(member)
      if member.x == axes.x then extend(x, xl, xh) end
      if member.y == axes.y then extend(y, yl, yh) end
      tight = tight or artist.tight
      if artist.sticky and member == axes then sticky[artist.sticky] = true end
    end
  end
  local xl, xh = scale.limits(axes.x.kind, x[1], x[2], axes.x.given, tight)
  local yl, yh = scale.limits(axes.y.kind, y[1], y[2], axes.y.given, tight)
  -- No margin below the base of bars.
  if sticky.y and y[1] == 0 and axes.y.given[1] == nil and not axes.y.kind.isLog then yl = 0 end
  if sticky.x and x[1] == 0 and axes.x.given[1] == nil and not axes.x.kind.isLog then xl = 0 end
  return { xl, xh }, { yl, yh }
end

local function marksOf(axis, limits, count)
  if not axis.ticks then return scale.marks(axis.kind, limits[1], limits[2], count) end
  local list, labels = {}, {}
  local from, to = math.min(limits[1], limits[2]), math.max(limits[1], limits[2])
  for i, value in ipairs(axis.ticks) do
    local at = axis.kind.shows(value) and axis.kind.forward(value)
    if at and at >= from - 1e-9 and at <= to + 1e-9 then
      list[#list + 1] = at
      labels[#labels + 1] = axis.labels and tostring(axis.labels[i]) or ('%g'):format(value)
    end
  end
  return list, labels, {}
end

local function clampTo(value) return math.max(-farthest, math.min(farthest, value)) end

-- Functions from values to pixels.
local function mapping(axes, box, x, y)
  local width, height = box.right - box.left, box.bottom - box.top
  local sx, sy = scale.shrink(x[1], x[2]), scale.shrink(y[1], y[2])
  local function px(at) return clampTo(box.left + (at * sx - x[1] * sx) / (x[2] * sx - x[1] * sx) * width) end
  local function py(at)
    local part = (at * sy - y[1] * sy) / (y[2] * sy - y[1] * sy)
    return clampTo(axes.y.inverted and box.top + part * height or box.bottom - part * height)
  end
  local function map(a, b)
    if not (axes.x.kind.shows(a) and axes.y.kind.shows(b)) then return nil end
    return px(axes.x.kind.forward(a)), py(axes.y.kind.forward(b))
  end
  -- Values without a logarithm are put below the axes.
  local function clamp(a, b)
    local at, high
    if a and a == a then at = px((not axes.x.kind.isLog or a > 0) and axes.x.kind.forward(a) or 2 * x[1] - x[2]) end
    if b and b == b then high = py((not axes.y.kind.isLog or b > 0) and axes.y.kind.forward(b) or 2 * y[1] - y[2]) end
    return at, high
  end
  return map, clamp, px, py
end

-- The box of a picture with square pixels.
local function square(box, x, y)
  local width, height = box.right - box.left, box.bottom - box.top
  local shrink = math.min(scale.shrink(x[1], x[2]), scale.shrink(y[1], y[2]))
  local across, down = x[2] * shrink - x[1] * shrink, y[2] * shrink - y[1] * shrink
  local unit = math.min(width / across, height / down)
  local w, h = unit * across, unit * down
  local left, top = box.left + (width - w) / 2, box.top + (height - h) / 2
  return { left = left, right = left + w, top = top, bottom = top + h }
end

local function drawMarks(canvas, axes, box, px, py, marks)
  local frame, faint = { stroke = black, width = 0.8 }, { stroke = '#b0b0b0', width = 0.8 }
  for i, at in ipairs(marks.x) do
    local x = px(at)
    if axes.grids then canvas:path({ x, box.top, x, box.bottom }, faint) end
    canvas:path({ x, box.bottom, x, box.bottom + tickLength }, frame)
    canvas:text(x, box.bottom + tickLength + gap + tickSize * 0.75, marks.xlabels[i], { size = tickSize, anchor = 'middle' })
  end
  for i, at in ipairs(marks.y) do
    local y = py(at)
    if axes.grids then canvas:path({ box.left, y, box.right, y }, faint) end
    canvas:path({ box.left - tickLength, y, box.left, y }, frame)
    canvas:text(box.left - tickLength - gap, y + tickSize * 0.35, marks.ylabels[i], { size = tickSize, anchor = 'end' })
  end
  for _, at in ipairs(marks.xsmall) do canvas:path({ px(at), box.bottom, px(at), box.bottom + 2 }, frame) end
  for _, at in ipairs(marks.ysmall) do canvas:path({ box.left - 2, py(at), box.left, py(at) }, frame) end
  if marks.xfactor then
    canvas:text(box.right, box.bottom + tickLength + gap + tickSize * 1.9, marks.xfactor, { size = tickSize, anchor = 'end' })
  end
  if marks.yfactor then canvas:text(box.left, box.top - gap, marks.yfactor, { size = tickSize }) end
end

-- The number of points of lines in a box.
local function crowd(axes, map, box)
  local count = 0
  for _, artist in ipairs(axes.artists) do
    for i = 1, artist.xs and #artist.xs or 0 do
      local x, y = map(artist.xs[i], artist.ys[i])
      if x and x >= box.left and x <= box.right and y >= box.top and y <= box.bottom then count = count + 1 end
    end
  end
  return count
end

local corners = { 'upper right', 'upper left', 'lower left', 'lower right' }

local function cornerBox(box, corner, width, height)
  local left = corner:find 'left' and box.left + 8 or box.right - 8 - width
  local top = corner:find 'upper' and box.top + 8 or box.bottom - 8 - height
  return { left = left, top = top, right = left + width, bottom = top + height }
end

local function drawLegend(canvas, axes, box, map)
  local entries, widest = {}, 0
  for _, artist in ipairs(axes.artists) do
    if artist.label and artist.key then
      entries[#entries + 1] = artist
      widest = math.max(widest, widthOf(artist.label, tickSize))
    end
  end
  if #entries == 0 then return end
  local line, keyWidth, pad = 15, 22, 6
  local width, height = widest + keyWidth + 3 * pad, #entries * line + pad
  local place, fewest
  for _, corner in ipairs(axes.legends == 'best' and corners or { axes.legends }) do
    local at = cornerBox(box, corner, width, height)
    local count = crowd(axes, map, at)
    if not fewest or count < fewest then place, fewest = at, count end
  end
  canvas:rect(place.left, place.top, width, height, { fill = '#ffffff', alpha = 0.8 })
  canvas:rect(place.left, place.top, width, height, { stroke = '#cccccc', width = 0.8 })
  for i, artist in ipairs(entries) do
    local y = place.top + pad / 2 + (i - 0.5) * line
    artist.key(canvas, place.left + pad, y, keyWidth)
    canvas:text(place.left + 2 * pad + keyWidth, y + tickSize * 0.35, artist.label, { size = tickSize })
  end
end

local function drawColorbar(canvas, bar, box)
  local left, width, bytes = box.right + 10, 14, {}
  for i = 255, 0, -1 do bytes[#bytes + 1] = string.char(bar.map(i / 255)) end
  canvas:image(left, box.top, width, box.bottom - box.top, { width = 1, height = 256, rgb = table.concat(bytes) })
  canvas:rect(left, box.top, width, box.bottom - box.top, { stroke = black, width = 0.8 })
  local low, high = bar.low, bar.high
  if high <= low then return end
  local list, labels = scale.marks(scale.kinds.linear, low, high, 6)
  for i, at in ipairs(list) do
    local y = box.bottom - (at - low) / (high - low) * (box.bottom - box.top)
    canvas:path({ left + width, y, left + width + tickLength, y }, { stroke = black, width = 0.8 })
    canvas:text(left + width + tickLength + gap, y + tickSize * 0.35, labels[i], { size = tickSize })
  end
end

local function widestOf(labels)
  local widest = 0
  for _, label in ipairs(labels) do widest = math.max(widest, widthOf(label, tickSize)) end
  return widest
end

-- Ticks of both axes for the available space.
local function allMarks(axes, x, y, cell)
  local marks = {}
  marks.y, marks.ylabels, marks.ysmall, marks.yfactor = marksOf(axes.y, y, math.max(2, math.floor((cell.bottom - cell.top) / 45)))
  marks.x, marks.xlabels, marks.xsmall, marks.xfactor = marksOf(axes.x, x, math.max(2, math.floor((cell.right - cell.left) / 65)))
  return marks
end

-- Axes over other axes: their limits and ticks, and the space that they need on the right and above.
local function twinsOf(axes, group, cell)
  local list, right, above = {}, 0, 0
  for _, twin in ipairs(axes.twins or {}) do
    local own = twin.axes
    local x, y = limitsOf(own, group)
    local marks = allMarks(own, x, y, cell)
    list[#list + 1] = { axes = own, shares = twin.shares, x = x, y = y, marks = marks }
    if twin.shares == 'x' then
      right = math.max(right, widestOf(marks.ylabels) + gap + (own.words.ylabel and labelSize + 2 * gap or 0))
    else
      above = math.max(above, tickSize + 2 * gap + (own.words.xlabel and labelSize + gap or 0))
    end
  end
  return list, right, above
end

local function drawTwin(canvas, twin, box, px, py)
  local frame, own, marks = { stroke = black, width = 0.8 }, twin.axes, twin.marks
  if twin.shares == 'x' then
    for i, at in ipairs(marks.y) do
      canvas:path({ box.right, py(at), box.right + tickLength, py(at) }, frame)
      canvas:text(box.right + tickLength + gap, py(at) + tickSize * 0.35, marks.ylabels[i], { size = tickSize })
    end
    for _, at in ipairs(marks.ysmall) do canvas:path({ box.right, py(at), box.right + 2, py(at) }, frame) end
    if marks.yfactor then canvas:text(box.right, box.top - gap, marks.yfactor, { size = tickSize, anchor = 'end' }) end
    if own.words.ylabel then
      canvas:text(box.right + tickLength + 2 * gap + widestOf(marks.ylabels) + labelSize, (box.top + box.bottom) / 2, own.words.ylabel,
        { size = labelSize, anchor = 'middle', rotate = -90 })
    end
  else
    for i, at in ipairs(marks.x) do
      canvas:path({ px(at), box.top - tickLength, px(at), box.top }, frame)
      canvas:text(px(at), box.top - tickLength - gap, marks.xlabels[i], { size = tickSize, anchor = 'middle' })
    end
    for _, at in ipairs(marks.xsmall) do canvas:path({ px(at), box.top - 2, px(at), box.top }, frame) end
    if own.words.xlabel then
      canvas:text((box.left + box.right) / 2, box.top - tickLength - 2 * gap - tickSize, own.words.xlabel,
        { size = labelSize, anchor = 'middle' })
    end
  end
end

-- Draws the contents of axes, clipped at their frame.
local function drawArtists(canvas, axes, box, map, clamp)
  canvas:clip(box.left, box.top, box.right - box.left, box.bottom - box.top, function()
    for _, artist in ipairs(axes.artists) do artist.draw(canvas, map, clamp, box) end
  end)
  for _, artist in ipairs(axes.artists) do
    if artist.drawWords then artist.drawWords(canvas, map) end
  end
end

--- Draws axes with ticks, labels and title within a cell of the canvas.
-- @tparam table canvas from plot.svg or plot.cairo
-- @tparam plot.Axes axes
-- @tparam table cell `left`, `top`, `right`, `bottom`
function layout.draw(canvas, axes, cell)
  local group = { axes }
  for _, twin in ipairs(axes.twins or {}) do group[#group + 1] = twin.axes end
  local x, y = limitsOf(axes, group)
  local words = axes.words
  local marks = allMarks(axes, x, y, cell)
  local twins, roomRight, roomAbove = twinsOf(axes, group, cell)
  local widest = widestOf(marks.ylabels)
  local box = {
    left = cell.left + tickLength + 2 * gap + widest + (words.ylabel and labelSize + 2 * gap or 0),
    right = cell.right - 12 - (axes.colorbar and 64 or 0) - roomRight,
    top = cell.top + (words.title and titleSize + 3 * gap or 3 * gap) + (marks.yfactor and not words.title and gap or 0) + roomAbove,
    bottom = cell.bottom - tickLength - 3 * gap - tickSize - (words.xlabel and labelSize + gap or 0),
  }
  box.right, box.bottom = math.max(box.right, box.left + 1), math.max(box.bottom, box.top + 1)
  local frame = box
  if axes.equal then box = square(box, x, y) end
  local map, clamp, px, py = mapping(axes, box, x, y)

  if axes.grids and not axes.bare then drawMarks(canvas, axes, box, px, py, marks) end
  drawArtists(canvas, axes, box, map, clamp)
  for _, twin in ipairs(twins) do
    local twinMap, twinClamp, twinX, twinY = mapping(twin.axes, box, twin.x, twin.y)
    drawArtists(canvas, twin.axes, box, twinMap, twinClamp)
    drawTwin(canvas, twin, box, twinX, twinY)
    if twin.axes.legends then drawLegend(canvas, twin.axes, box, twinMap) end
  end
  if not axes.bare then
    canvas:rect(box.left, box.top, box.right - box.left, box.bottom - box.top, { stroke = black, width = 0.8 })
    if not axes.grids then drawMarks(canvas, axes, box, px, py, marks) end
  end
  if axes.colorbar then drawColorbar(canvas, axes.colorbar, box) end
  if axes.legends then drawLegend(canvas, axes, box, map) end

  local middle = (box.left + box.right) / 2
  if words.title then canvas:text(middle, box.top - 2 * gap - roomAbove, words.title, { size = titleSize, anchor = 'middle' }) end
  if words.xlabel then
    canvas:text(middle, box.bottom + tickLength + 2 * gap + tickSize + labelSize, words.xlabel, { size = labelSize, anchor = 'middle' })
  end
  if words.ylabel then
    canvas:text(frame == box and cell.left + labelSize + gap or box.left - widest - 3 * gap - tickLength, (box.top + box.bottom) / 2,
      words.ylabel, { size = labelSize, anchor = 'middle', rotate = -90 })
  end
end

return layout
