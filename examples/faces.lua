-- Finds faces: `th examples/faces.lua --weights FOLDER --picture FILE`, and --help for more. The three networks of MTCNN, whose weights
-- `examples/published/fetch FOLDER` gets: the first looks at small squares everywhere in pictures of falling sizes, the second and the
-- third look more closely at what is left, and move the boxes; the third also finds eyes, nose and mouth. The last line printed is how many
-- faces there are. The picture shows boxes and landmarks. Without --picture, the face is that of examples/data/astronaut.jpg.
-- Source: Zhang et al. (2016), "Joint Face Detection and Alignment Using Multitask Cascaded Convolutional Networks", IEEE SPL 23.
-- Thresholds and rounding are those of facenet-pytorch, which gives the same boxes.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'

local torch, nn, image = require 'torch', require 'nn', require 'image'
local paths, vision, zoo = require 'paths', require 'vision', require 'zoo'

local command = torch.CmdLine()
command:text 'Finds faces: th examples/faces.lua --weights FOLDER --picture FILE'
command:option('--weights', '', 'folder of examples/published/fetch')
command:option('--picture', paths.concat(here, 'data/astronaut.jpg'), 'a picture')
command:option('--smallest', 20, 'height of the smallest face, points')
command:option('--output', 'faces.jpg', "where the picture with the faces goes: .jpg or .png; '' draws none")
command:option('--threads', 1, 'number of threads')

local shrinking, thresholds = 0.709, { 0.6, 0.7, 0.7 }

-- Means over areas, then from -1 to 1 as the networks expect.
local function scaled(pictures, height, width)
  return nn.functional.adaptiveAvgPool2d(pictures, { height, width }):add(-127.5):div(128)
end

local function columnsOf(boxes) return boxes[{ {}, 1 }], boxes[{ {}, 2 }], boxes[{ {}, 3 }], boxes[{ {}, 4 }] end

-- Moves boxes (n, 4) by what a network says (n, 4), in units of their sizes. Later networks count the last point, too: `extra` is 1.
local function moved(boxes, offsets, extra)
  local x1, y1, x2, y2 = columnsOf(boxes)
  local width, height = x2 - x1 + extra, y2 - y1 + extra
  return boxes + torch.cmul(offsets, torch.stack({ width, height, width, height }, 2))
end

-- Squares with the same middles and the longer side.
local function squared(boxes)
  local x1, y1, x2, y2 = columnsOf(boxes)
  local side = torch.cmax(x2 - x1, y2 - y1)
  local left, top = (x1 + x2 - side) / 2, (y1 + y2 - side) / 2
  return torch.stack({ left, top, left + side, top + side }, 2)
end

-- Indices of boxes that survive if a better one covers more than `most` of them, or they of it.
local function withoutCovered(boxes, scores, most)
  local left = {}
  for _, i in ipairs(select(2, torch.sort(scores, 1, true)):totable()) do
    local a, isCovered = boxes[i], false
    for _, j in ipairs(left) do
      local b = boxes[j]
      local width = math.min(a[3], b[3]) - math.max(a[1], b[1]) + 1
      local height = math.min(a[4], b[4]) - math.max(a[2], b[2]) + 1
      local smaller = math.min((a[3] - a[1] + 1) * (a[4] - a[2] + 1), (b[3] - b[1] + 1) * (b[4] - b[2] + 1))
      isCovered = isCovered or math.max(0, width) * math.max(0, height) / smaller > most
    end
    if not isCovered then left[#left + 1] = i end
  end
  return torch.LongTensor(left)
end

-- The squares of 12 points, at all sizes, that may be faces: boxes, moved and squared.
local function candidates(net, picture, smallest)
  local height, width = picture:size(3), picture:size(4)
  local scale = 12 / smallest
  local boxes, scores, offsets = {}, {}, {}
  while math.min(height, width) * scale >= 12 do
    local probabilities, regression = net(scaled(picture, math.floor(height * scale + 1), math.floor(width * scale + 1)))
    local chances = probabilities[1][2]
    local places = torch.ge(chances, thresholds[1]):nonzero()
    if places:nElement() > 0 then
      local rows, columns = places:select(2, 1), places:select(2, 2)
      local flat = (rows - 1) * chances:size(2) + columns
      local x, y = (columns - 1):float(), (rows - 1):float()
      local found = torch.floor(torch.stack({ x * 2 + 1, y * 2 + 1, x * 2 + 12, y * 2 + 12 }, 2) / scale)
      local score = chances:contiguous():view(-1):index(1, flat)
      local best = vision.nms(found, score, 0.5)
      boxes[#boxes + 1], scores[#scores + 1] = found:index(1, best), score:index(1, best)
      offsets[#offsets + 1] = regression[1]:contiguous():view(4, -1):index(2, flat):t():index(1, best)
    end
    scale = scale * shrinking
  end
  if #boxes == 0 then return torch.FloatTensor(0, 4) end
  local all, allScores = torch.cat(boxes, 1), torch.cat(scores, 1)
  local best = vision.nms(all, allScores, 0.7)
  return squared(moved(all:index(1, best), torch.cat(offsets, 1):index(1, best), 0))
end

-- Cuts boxes out of a picture, each scaled to a square of `size` points.
local function cut(picture, boxes, size)
  local parts = {}
  for i = 1, boxes:size(1) do
    local x1, y1 = math.max(1, math.floor(boxes[i][1])), math.max(1, math.floor(boxes[i][2]))
    local x2, y2 = math.min(picture:size(4), math.floor(boxes[i][3])), math.min(picture:size(3), math.floor(boxes[i][4]))
    parts[i] = scaled(picture:narrow(4, x1, x2 - x1 + 1):narrow(3, y1, y2 - y1 + 1):contiguous(), size, size)
  end
  return torch.cat(parts, 1)
end

-- Returns boxes (n, 4), probabilities (n), landmarks (n, 5, 2); nothing without a face.
local function findFaces(nets, picture, smallest)
  local boxes = candidates(nets[1], picture, smallest)
  for stage, size in ipairs { 24, 48 } do
    if boxes:size(1) == 0 then return end
    local probabilities, offsets, landmarks = nets[stage + 1](cut(picture, boxes, size))
    local chances = probabilities:select(2, 2)
    local left = torch.gt(chances, thresholds[stage + 1]):nonzero()
    if left:nElement() == 0 then return end
    left = left:view(-1)
    boxes, chances, offsets = boxes:index(1, left), chances:index(1, left), offsets:index(1, left)
    if stage == 1 then
      local best = vision.nms(boxes, chances, 0.7)
      boxes = squared(moved(boxes:index(1, best), offsets:index(1, best), 1))
    else
      local x1, y1, x2, y2 = columnsOf(boxes)
      local points = landmarks:index(1, left):view(-1, 2, 5)
      local corner, sizes = torch.stack({ x1, y1 }, 2):add(-1), torch.stack({ x2 - x1, y2 - y1 }, 2):add(1)
      points = torch.cmul(points, sizes:view(-1, 2, 1):expandAs(points)) + corner:view(-1, 2, 1):expandAs(points)
      boxes = moved(boxes, offsets, 1)
      local best = withoutCovered(boxes, chances, 0.7)
      return boxes:index(1, best), chances:index(1, best), points:index(1, best):transpose(2, 3):contiguous()
    end
  end
end

local function fail(...)
  io.stderr:write('faces: ', (...):format(select(2, ...)), '\n')
  os.exit(2, true)
end

local options = command:parse(arg or {})
torch.setnumthreads(options.threads)
torch.setdefaulttensortype 'torch.FloatTensor'
if options.weights == '' then fail '--weights: nothing, expected the folder of examples/published/fetch' end
local nets = {}
for i, part in ipairs { 'pnet', 'rnet', 'onet' } do
  local isRead, net = pcall(zoo.load, 'mtcnn_' .. part, paths.concat(options.weights, ('mtcnn_%s.pt'):format(part)))
  if not isRead then fail('--weights: %s', (net:gsub('^%S+:%d+: ', ''))) end
  nets[i] = net
end
local isThere, bytes = pcall(image.load, options.picture, 3, 'byte')
if not isThere then fail('--picture: %s', (bytes:gsub('^%S+:%d+: ', ''))) end
local boxes, chances, points = torch.noGrad(findFaces, nets, bytes:float():view(1, 3, bytes:size(2), -1), options.smallest)
local count = boxes and boxes:size(1) or 0
for i = 1, count do
  local box, places = boxes[i], {}
  for k = 1, 5 do places[k] = ('%.1f,%.1f'):format(points[i][k][1], points[i][k][2]) end
  io.write(('%.1f %.1f %.1f %.1f  probability %.4f  eyes, nose, mouth %s\n'):format(box[1], box[2], box[3], box[4], chances[i],
    table.concat(places, ' ')))
end
if options.output ~= '' then
  local drawn = bytes
  if count > 0 then drawn = vision.drawKeypoints(vision.drawBoxes(bytes, boxes, { lineWidth = 2 }), points, { radius = 2 }) end
  image.save(options.output, drawn)
end
io.write(('%d face%s\n'):format(count, count == 1 and '' or 's'))
