--- Windows in a browser: pictures, plots, texts and sounds, with the interface of Torch7's package display.
-- `th -ldisplay.start` runs the server, whose page at http://localhost:8000 shows them; it needs no network. Without a server, calls are
-- ignored. `display.configure{folder = 'out'}` writes files instead.
--
-- Each function returns the window's id. With this id as the option `win` a call replaces the window: `config.win = display.plot(data,
-- config)`.
-- @module display
-- @usage local display = require 'display'
-- local config = { title = 'loss', labels = { 'epoch', 'train', 'test' } }
-- config.win = display.plot({ { 1, 0.9, 1.0 }, { 2, 0.5, 0.7 } }, config)
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
local torch, image = require 'torch', require 'image'
local client, canvas, encoded = require 'display.client', require 'display.canvas', require 'torch.file.json_text'
local base64, clock = require 'torch.file.base64', require('sys').clock

local display = {}

--- The address for messages; programs may set it.
display.url = 'http://localhost:8000/events'

local folder            -- the folder for files instead

--- Sets where to show windows.
-- @tparam table config hostname = '127.0.0.1' and port = 8000 of the server; or folder, in which each window is a file: ID.jpg, ID.svg,
-- ID.html, or a sound
-- @raise if it is not a table
function display.configure(config)
  if type(config) ~= 'table' then error(('display.configure: config: a %s, expected a table'):format(torch.type(config)), 2) end
  folder = config.folder
  if folder then return end
  local host = config.hostname or '127.0.0.1'
  display.url = ('http://%s:%d/events'):format(host:find ':' and '[' .. host .. ']' or host, config.port or 8000)
end

local count = 0

-- Returns an id that no other window of any program has. Draws no random numbers from the program's generator.
local function newId()
  count = count + 1
  return ('pane_%.0f%03d'):format(clock() * 1e6, count % 1000)
end

local function options(where, opts)
  if opts ~= nil and type(opts) ~= 'table' then error(('display.%s: opts: a %s, expected a table'):format(where, torch.type(opts)), 3) end
  return opts or {}
end

-- Shows a window; returns its id.
local function show(kind, opts, content, bytes, extension)
  local id = opts.win or newId()
  local message = { command = 'pane', type = kind, id = id, title = opts.title, content = content }
  if folder then
    require('display.files').write(folder, message, bytes, extension)
  else
    client.post(display.url, encoded(message))
  end
  return id
end

local function stringOf(bytes) return require('ffi').string(bytes:data(), bytes:nElement()) end

local function showPicture(opts, picture, labels)
  local jpeg = stringOf(image.compressJPG(canvas.scaled(picture, opts.min, opts.max)))
  local content = { src = 'data:image/jpeg;base64,' .. base64(jpeg), labels = labels or {}, width = opts.width }
  return show('image', opts, content, jpeg)
end

local function isSingle(img)
  return img:dim() == 2 or img:dim() == 3 and (img:size(1) == 1 or img:size(1) == 3)
end

local function checkPicture(where, img)
  if not torch.isTensor(img) or img:dim() < 2 or img:dim() > 3 or img:nElement() == 0 then
    local actual = torch.isTensor(img) and require('torch.check.message').tensor(img) or 'a ' .. torch.type(img)
    error(('display.%s: img: %s, expected H x W, 1 x H x W or 3 x H x W'):format(where, actual), 3)
  end
end

--- Shows a picture, scaled so that its smallest element is black and its largest white.
-- @tparam torch.Tensor|table img H x W, 1 x H x W or 3 x H x W; others, 4D tensors and lists go to `images`
-- @tparam[opt] table opts win, title, width (pixels), min and max (the values that become black and white)
-- @return the window's id
function display.image(img, opts)
  opts = options('image', opts)
  if type(img) == 'table' or torch.isTensor(img) and img:dim() > 2 and not isSingle(img) then return display.images(img, opts) end
  checkPicture('image', img)
  return showPicture(opts, img, nil)
end

local function listOf(list)
  local pictures = {}
  if torch.isTensor(list) then
    for i = 1, list:size(1) do pictures[i] = list[i] end
  else
    for i, picture in ipairs(list) do pictures[i] = picture end
  end
  for _, picture in ipairs(pictures) do
    checkPicture('images', picture)
    if not isSingle(picture) then
      error(('display.images: img: %d planes, expected 1 or 3'):format(picture:size(1)), 3)
    end
  end
  return pictures
end

--- Shows pictures side by side in one window, each at the upper left of a cell of the largest size, scaled together.
-- @tparam table|torch.Tensor list of pictures as for `image`; or a tensor, whose slices of dimension 1 are shown
-- @tparam[opt] table opts as for `image`; nperrow (default: the square root of their number, rounded up), labels (a text for each),
-- normalize (first scales each separately)
-- @return the window's id
function display.images(list, opts)
  opts = options('images', opts)
  if type(list) ~= 'table' and not torch.isTensor(list) then
    error(('display.images: list: a %s, expected a list of pictures or a tensor'):format(torch.type(list)), 2)
  end
  local pictures = listOf(list)
  if #pictures == 0 then error('display.images: list: no pictures, expected at least one', 2) end
  if opts.normalize then
    for i, picture in ipairs(pictures) do pictures[i] = canvas.scaled(picture) end
  end
  local whole, labels = canvas.grid(pictures, opts.nperrow or math.ceil(math.sqrt(#pictures)), opts.labels)
  return showPicture(opts, whole, labels)
end

-- The content of a plot with options for Dygraphs.
local function plotContent(rows, opts)
  local content = {}
  for key, value in pairs(opts) do content[key] = value end
  content.win, content.file = nil, rows
  if content.xlabel == nil and type(content.labels) == 'table' then content.xlabel = content.labels[1] end
  return content
end

--- Shows lines. Dragging over the plot selects a range of x, a double click resets it.
-- @tparam torch.Tensor|table data N x M, or a list of rows; the first column is x. NaN and infinities are gaps
-- @tparam[opt] table opts win, title; labels: the columns' names, first that of x; xlabel, ylabel; width, height; and as in
-- Dygraphs colors, logscale, drawPoints, pointSize, strokeWidth, strokePattern, stepPlot, fillGraph, errorBars and sigma, customBars,
-- rollPeriod, valueRange, dateWindow, visibility, connectSeparatedPoints
-- @return the window's id
function display.plot(data, opts)
  opts = options('plot', opts)
  local isMatrix = torch.isTensor(data) and data:dim() == 2
  if not isMatrix and type(data) ~= 'table' then
    error(('display.plot: data: a %s, expected an N x M tensor or a list of rows'):format(torch.type(data)), 2)
  end
  local rows = isMatrix and data:totable() or data
  for i, row in ipairs(rows) do
    if type(row) ~= 'table' and not torch.isTensor(row) then
      error(('display.plot: data: row %d is a %s, expected a list of numbers'):format(i, torch.type(row)), 2)
    end
  end
  return show('plot', opts, plotContent(rows, opts))
end

--- Shows a text.
-- @string text HTML, whose scripts don't run
-- @tparam[opt] table opts win, title
-- @return the window's id
function display.text(text, opts)
  opts = options('text', opts)
  if type(text) ~= 'string' and type(text) ~= 'number' then
    error(('display.text: text: a %s, expected a string'):format(torch.type(text)), 2)
  end
  return show('text', opts, tostring(text))
end

local soundTypes = { mp3 = 'mp3', wav = 'wav', ogg = 'ogg', aac = 'aac' }

-- The bytes of a sound and their format; or nil and the reason.
local function soundOf(data, opts)
  if type(data) == 'string' then
    local extension = soundTypes[(data:match '%.(%w+)$' or ''):lower()]
    if not extension then return nil, data .. ' is no mp3, wav, ogg or aac file' end
    local file, message = io.open(data, 'rb')
    if not file then return nil, message end
    local bytes = file:read '*a'
    file:close()
    return bytes, extension
  end
  if not torch.isTensor(data) or data:dim() > 2 or data:nElement() == 0 then
    return nil, "expected samples x channels, or a file's name"
  end
  local found, audio = pcall(require, 'audio')
  if not found then return nil, 'the package audio is not installed' end
  local samples = data:dim() == 1 and data:view(-1, 1) or data
  for _, extension in ipairs { 'ogg', 'wav' } do
    local done, bytes = pcall(audio.compress, samples, opts.rate or 44100, extension)
    if done then return stringOf(bytes):sub(9), extension end      -- the first 8 bytes are the number of samples
    found = bytes
  end
  return nil, found
end

--- Plays a sound. If it can't be played, prints the reason to the standard output.
-- @tparam torch.Tensor|string data samples x channels, or the name of an mp3, wav, ogg or aac file
-- @tparam[opt] table opts win, title, rate (44100): samples per second
-- @return the window's id; nothing if there is no sound
function display.audio(data, opts)
  opts = options('audio', opts)
  local bytes, extension = soundOf(data, opts)
  if not bytes then
    print('display.audio: ' .. tostring(extension))
    return
  end
  return show('audio', opts, ('data:audio/%s;base64,%s'):format(extension, base64(bytes)), bytes, extension)
end

return display
