-- Makes classic netCDF files by hand, as Unidata's "The NetCDF Classic Format Specification" and PnetCDF's "CDF-5" describe them.
local bytes = {}

--- The bytes of an integer, the largest first; negative ones in two's complement.
function bytes.big(value, size)
  local list = {}
  for i = size, 1, -1 do
    list[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(list)
end

local big = bytes.big

--- The bytes of several integers.
function bytes.all(size, ...)
  local list = { ... }
  for i, value in ipairs(list) do list[i] = big(value, size) end
  return table.concat(list)
end

function bytes.padded(text) return text .. ('\0'):rep(-#text % 4) end

local padded = bytes.padded

-- The header with the variables' places behind `start` bytes.
local function header(file, start)
  local width = file.version == 5 and 8 or 4
  local function count(n) return big(n, width) end
  local function text(name) return count(#name) .. padded(name) end
  local function list(tag, entries, write)
    if not entries or #entries == 0 then return big(0, 4) .. count(0) end
    local parts = { big(tag, 4) .. count(#entries) }
    for _, entry in ipairs(entries) do parts[#parts + 1] = write(entry) end
    return table.concat(parts)
  end
  local function attribute(a) return text(a[1]) .. big(a[2], 4) .. count(a[3]) .. padded(a[4]) end
  local function variable(v)
    local indices = {}
    for i, index in ipairs(v.dimensions or {}) do indices[i] = count(index) end
    return text(v.name) .. count(#indices) .. table.concat(indices) .. list(12, v.attributes, attribute) .. big(v.type, 4) ..
      count(v.bytes or 0) .. big(v.at or start + v.offset, file.version == 1 and 4 or 8)
  end
  return 'CDF' .. string.char(file.version) .. count(file.records or 0) ..
    list(10, file.dimensions, function(d) return text(d[1]) .. count(d[2]) end) .. list(12, file.attributes, attribute) ..
    list(11, file.variables, variable)
end

--- A file: `version`, `records`, `dimensions` ({ name, size }), `attributes` ({ name, type, count, bytes }), `variables` (`name`,
-- `dimensions`
-- (from 0), `attributes`, `type`, and `at`, `offset` behind the header, or `data`), and `data` behind the header.
function bytes.file(file)
  file.version = file.version or 1
  local parts, at = {}, 0
  for _, v in ipairs(file.variables or {}) do
    if not v.at and not v.offset then
      v.offset, parts[#parts + 1] = at, padded(v.data or '')
      at = at + #parts[#parts]
    end
  end
  return header(file, #header(file, 0)) .. table.concat(parts) .. (file.data or '')
end

return bytes
