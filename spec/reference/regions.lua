-- Regions of images, in plain Lua: suppression from the last box to the first, and samples one by one. A tensor is { sizes, data }.
local reference = {}

local function box(boxes, i, scale)
  local found = {}
  for k = 1, 4 do found[k] = boxes.data[(i - 1) * 4 + k] * (scale or 1) end
  return found
end

local function overlap(a, b)
  local width, height = math.min(a[3], b[3]) - math.max(a[1], b[1]), math.min(a[4], b[4]) - math.max(a[2], b[2])
  local shared = width > 0 and height > 0 and width * height or 0
  return shared / ((a[3] - a[1]) * (a[4] - a[2]) + (b[3] - b[1]) * (b[4] - b[2]) - shared)
end

function reference.nmsMask(boxes, threshold, groups)
  local n, kept = boxes.sizes[1], {}
  for i = 1, n do kept[i] = 1 end
  for i = 1, n do
    for j = i + 1, n do
      local meet = not groups or groups.data[i] == groups.data[j]
      if kept[i] == 1 and meet and overlap(box(boxes, i), box(boxes, j)) > threshold then kept[j] = 0 end
    end
  end
  return { sizes = { n }, data = kept }
end

-- The value of a position is a sum of pixels by hat functions; outside by more than a pixel it is none.
local function weight(at, place, size)
  if at < -1 or at > size then return 0 end
  return math.max(0, 1 - math.abs(math.min(math.max(at, 0), size - 1) - place))
end

local function zeros(sizes)
  local count = 1
  for _, size in ipairs(sizes) do count = count * size end
  local data = {}
  for i = 1, count do data[i] = 0 end
  return { sizes = sizes, data = data }
end

-- Calls visit(place in x, place in the result, weight), places from 1.
local function eachSample(size, boxes, index, height, width, scale, samples, aligned, visit)
  local channels, rows, columns = size[2], size[3], size[4]
  for i = 1, boxes.sizes[1] do
    local b, shift = box(boxes, i, scale), aligned and 0.5 or 0
    local x, y, w, h = b[1] - shift, b[2] - shift, b[3] - b[1], b[4] - b[2]
    if not aligned then w, h = math.max(w, 1), math.max(h, 1) end
    local gridY = (samples or 0) > 0 and samples or math.ceil(h / height)
    local gridX = (samples or 0) > 0 and samples or math.ceil(w / width)
    for p = 0, height * width - 1 do
      for s = 0, gridY * gridX - 1 do
        if gridX > 0 and gridY > 0 then
          local atY = y + (math.floor(p / width) + (math.floor(s / gridX) + 0.5) / gridY) * h / height
          local atX = x + (p % width + (s % gridX + 0.5) / gridX) * w / width
          for place = 0, rows * columns - 1 do
            local share = weight(atY, math.floor(place / columns), rows) * weight(atX, place % columns, columns) / (gridX * gridY)
            for c = 0, channels - 1 do
              visit(((index.data[i] - 1) * channels + c) * rows * columns + place + 1,
                ((i - 1) * channels + c) * height * width + p + 1, share)
            end
          end
        end
      end
    end
  end
end

function reference.roiAlign(x, boxes, index, height, width, scale, samples, aligned)
  local result = zeros { boxes.sizes[1], x.sizes[2], height, width }
  eachSample(x.sizes, boxes, index, height, width, scale, samples, aligned, function(from, to, share)
    if share ~= 0 then result.data[to] = result.data[to] + share * x.data[from] end
  end)
  return result
end

function reference.roiAlign_grad(g, size, boxes, index, scale, samples, aligned)
  local result = zeros { size[1], size[2], size[3], size[4] }
  eachSample(size, boxes, index, g.sizes[3], g.sizes[4], scale, samples, aligned, function(to, from, share)
    if share ~= 0 then result.data[to] = result.data[to] + share * g.data[from] end
  end)
  return result
end

local function round(v) return v < 0 and -math.floor(0.5 - v) or math.floor(v + 0.5) end

function reference.roiMax(x, boxes, index, height, width, scale)
  local channels, rows, columns = x.sizes[2], x.sizes[3], x.sizes[4]
  local sizes = { boxes.sizes[1], channels, height, width }
  local result, places = zeros(sizes), zeros { unpack(sizes) }
  for i = 1, boxes.sizes[1] do
    local b = box(boxes, i, scale)
    for k = 1, 4 do b[k] = round(b[k]) end
    local h, w = math.max(1, b[4] - b[2] + 1), math.max(1, b[3] - b[1] + 1)
    for c = 0, channels - 1 do
      for bin = 0, height * width - 1 do
        local p, q = math.floor(bin / width), bin % width
        local to = ((i - 1) * channels + c) * height * width + bin + 1
        for place = 0, rows * columns - 1 do
          local row, column = math.floor(place / columns) - b[2], place % columns - b[1]
          if row >= math.floor(p * h / height) and row < math.ceil((p + 1) * h / height)
            and column >= math.floor(q * w / width) and column < math.ceil((q + 1) * w / width) then
            local value, best = x.data[((index.data[i] - 1) * channels + c) * rows * columns + place + 1], result.data[to]
            if places.data[to] == 0 or value > best or value ~= value and best == best then
              result.data[to], places.data[to] = value, place + 1
            end
          end
        end
      end
    end
  end
  return result, places
end

return reference
