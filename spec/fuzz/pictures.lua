-- Picture files: PNG (its checksums are usually corrected, so that changed data is read), JPEG and Netpbm's.
local torch = require 'torch'
local image = require 'image'
local paths = require 'paths'

local function text(bytes) return bytes:storage():string() end

-- The sum of a chunk of PNG: CRC-32.
local function crc(bytes)
  local value = -1
  for i = 1, #bytes do
    value = bit.bxor(value, bytes:byte(i))
    for _ = 1, 8 do value = bit.bxor(bit.rshift(value, 1), bit.band(value, 1) == 1 and 0xEDB88320 or 0) end
  end
  return bit.bnot(value)
end

local function big(value)
  return string.char(bit.band(bit.rshift(value, 24), 255), bit.band(bit.rshift(value, 16), 255), bit.band(bit.rshift(value, 8), 255),
    bit.band(value, 255))
end

-- Gives each chunk the sum that it should have.
local function mend(bytes)
  local at, pieces = 9, { bytes:sub(1, 8) }
  while at + 11 <= #bytes do
    local a, b, c, d = bytes:byte(at, at + 3)
    local length = a * 2 ^ 24 + b * 2 ^ 16 + c * 2 ^ 8 + d
    if length > #bytes - at - 11 then break end
    local chunk = bytes:sub(at + 4, at + 7 + length)
    pieces[#pieces + 1] = bytes:sub(at, at + 3) .. chunk .. big(crc(chunk))
    at = at + 12 + length
  end
  return table.concat(pieces) .. bytes:sub(at)
end

local function picture(channels, height, width)
  local count = channels * height * width
  return torch.range(1, count):mul(7.3):fmod(256):byte():view(channels, height, width)
end

-- The files among spec/image's figures that begin so.
local function figures(list, start)
  for _, figure in ipairs(require('spec.image.figures').files) do
    local bytes = figure.file:gsub('%s+', ''):gsub('%x%x', function(pair) return string.char(tonumber(pair, 16)) end)
    if bytes:sub(1, #start) == start then list[#list + 1] = bytes end
  end
  return list
end

local function load(name) return image.load(name, nil, 'byte', { exif = true }) end

-- The files of a format that spec/image/formats has. Without the library that reads them there are none.
local function stored(pattern)
  local list, folder = {}, 'spec/image/formats/'
  local names = paths.dir(folder)
  table.sort(names)
  for _, base in ipairs(names) do
    if base:find(pattern) then
      local good, problem = pcall(image.getSize, folder .. base)
      if not good and problem:find 'was not found, which' then return {} end
      local file = io.open(folder .. base, 'rb')
      list[#list + 1] = file:read '*a'
      file:close()
    end
  end
  return list
end

local function loadFrames(name) return (image.frames(name, nil, 'byte')) end

return {
  bmp = {
    prefix = 'image.load', load = load, seeds = function() return stored '%.bmp$' end,
    words = { 'BM', '\40\0\0\0', '\12\0\0\0', '\1\0\8\0', '\1\0\32\0', '\3\0\0\0', '\0\1', '\0\2', '\255\255\255\255' },
  },
  gif = {
    prefix = 'image.frames', load = loadFrames, seeds = function() return stored '%.gif$' end,
    words = { 'GIF89a', '!\249\4', ',', ';', '\255\255', '\0\0', '\247', '\8' },
  },
  tiff = {
    prefix = 'image.frames', load = loadFrames, seeds = function() return stored '%.tif$' end,
    words = {
      'II*\0', 'MM\0*', '\0\1\3\0', '\1\1\4\0', '\2\1\3\0', '\3\1\3\0', '\6\1\3\0', '\66\1\3\0', '\67\1\3\0', '\32\0\0\0',
      '\255\255\255\255',
    },
  },
  webp = {
    prefix = 'image.frames', load = loadFrames, seeds = function() return stored '%.webp$' end,
    words = { 'RIFF', 'WEBP', 'VP8 ', 'VP8L', 'VP8X', 'ANIM', 'ANMF', 'ALPH', '\255\255\255' },
  },
  png = {
    prefix = 'image.load', load = load, mend = mend,
    words = { 'IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'eXIf', 'gAMA', 'iCCP', 'zTXt', '\8\6\0\0\0', '\16\2\0\0\1', '\1\3\0\0\0' },
    seeds = function()
      local list = {}
      for channels = 1, 4 do list[channels] = text(image.compressPNG(picture(channels, 5, 6))) end
      list[5] = text(image.compressPNG(picture(3, 9, 10), { interlaced = true }))
      list[6] = text(image.compressPNG(picture(1, 3, 4), { bits = 16 }))
      return figures(list, '\137PNG')
    end,
  },
  jpeg = {
    prefix = 'image.load', load = load,
    words = {
      '\255\216', '\255\192', '\255\194', '\255\196', '\255\218', '\255\217', '\255\221', '\255\219', '\255\208', '\255\225',
      'Exif\0\0', 'Adobe', '\3\1\34\0', '\0\63\0',
    },
    seeds = function()
      return figures({ text(image.compressJPG(picture(3, 20, 17), { progressive = true, subsampling = 422 })) }, '\255\216')
    end,
  },
  ppm = {
    prefix = 'image.load', load = load, words = { 'P1', 'P2', 'P3', 'P4', 'P5', 'P6', '255', '65535', '#', '\n', '99999999999' },
    seeds = function()
      return {
        text(image.compressPPM(picture(3, 4, 5))), text(image.compressPPM(picture(1, 4, 5), { bits = 16 })), 'P1 3 2\n101\n0 1 0\n',
        'P2 # grey\n4 1 255 0 17 254 255\n', 'P3 2 1 9\n1 2 3 4 5 6\n', 'P4\n10 2\n\160\64\255\128', 'P5 2 2 7\n\1\2\3\4',
      }
    end,
  },
}
