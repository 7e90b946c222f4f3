--- A canvas that paints a PNG file with cairo (libcairo.so.2), loaded on first use. Its methods are those of plot.svg.
-- @module plot.cairo
local ffi = require 'ffi'
local library = require 'torch.library'
local colors = require 'plot.colors'

ffi.cdef [[
typedef struct mt_cairo_surface mt_cairo_surface;
typedef struct mt_cairo mt_cairo;
typedef struct { double x_bearing, y_bearing, width, height, x_advance, y_advance; } mt_cairo_extents;
mt_cairo_surface *mt_cairo_image(int format, int width, int height) asm("cairo_image_surface_create");
int mt_cairo_surface_status(mt_cairo_surface *surface) asm("cairo_surface_status");
void mt_cairo_surface_destroy(mt_cairo_surface *surface) asm("cairo_surface_destroy");
void mt_cairo_surface_flush(mt_cairo_surface *surface) asm("cairo_surface_flush");
void mt_cairo_surface_dirty(mt_cairo_surface *surface) asm("cairo_surface_mark_dirty");
uint8_t *mt_cairo_data(mt_cairo_surface *surface) asm("cairo_image_surface_get_data");
int mt_cairo_stride(mt_cairo_surface *surface) asm("cairo_image_surface_get_stride");
int mt_cairo_write_png(mt_cairo_surface *surface, const char *name) asm("cairo_surface_write_to_png");
const char *mt_cairo_message(int status) asm("cairo_status_to_string");
mt_cairo *mt_cairo_new(mt_cairo_surface *surface) asm("cairo_create");
void mt_cairo_destroy(mt_cairo *c) asm("cairo_destroy");
void mt_cairo_save(mt_cairo *c) asm("cairo_save");
void mt_cairo_restore(mt_cairo *c) asm("cairo_restore");
void mt_cairo_color(mt_cairo *c, double r, double g, double b, double a) asm("cairo_set_source_rgba");
void mt_cairo_line_width(mt_cairo *c, double width) asm("cairo_set_line_width");
void mt_cairo_dash(mt_cairo *c, const double *lengths, int count, double offset) asm("cairo_set_dash");
void mt_cairo_join(mt_cairo *c, int join) asm("cairo_set_line_join");
void mt_cairo_new_path(mt_cairo *c) asm("cairo_new_path");
void mt_cairo_move(mt_cairo *c, double x, double y) asm("cairo_move_to");
void mt_cairo_line(mt_cairo *c, double x, double y) asm("cairo_line_to");
void mt_cairo_close(mt_cairo *c) asm("cairo_close_path");
void mt_cairo_rectangle(mt_cairo *c, double x, double y, double width, double height) asm("cairo_rectangle");
void mt_cairo_arc(mt_cairo *c, double x, double y, double radius, double from, double to) asm("cairo_arc");
void mt_cairo_fill(mt_cairo *c) asm("cairo_fill_preserve");
void mt_cairo_stroke(mt_cairo *c) asm("cairo_stroke_preserve");
void mt_cairo_clip(mt_cairo *c) asm("cairo_clip");
void mt_cairo_paint(mt_cairo *c) asm("cairo_paint");
void mt_cairo_scale(mt_cairo *c, double x, double y) asm("cairo_scale");
void mt_cairo_translate(mt_cairo *c, double x, double y) asm("cairo_translate");
void mt_cairo_rotate(mt_cairo *c, double radians) asm("cairo_rotate");
void mt_cairo_font(mt_cairo *c, const char *family, int slant, int weight) asm("cairo_select_font_face");
void mt_cairo_font_size(mt_cairo *c, double size) asm("cairo_set_font_size");
void mt_cairo_extents_of(mt_cairo *c, const char *text, mt_cairo_extents *extents) asm("cairo_text_extents");
void mt_cairo_show(mt_cairo *c, const char *text) asm("cairo_show_text");
void mt_cairo_source(mt_cairo *c, mt_cairo_surface *surface, double x, double y) asm("cairo_set_source_surface");
void *mt_cairo_get_source(mt_cairo *c) asm("cairo_get_source");
void mt_cairo_filter(void *pattern, int filter) asm("cairo_pattern_set_filter");
]]

local argb, rgb24, roundJoin, nearest = 0, 1, 1, 3

local opened
local function open()
  opened = opened or library.system('cairo', 'plot', 'SVG files need nothing')
  return opened
end

local cairo = {}
cairo.__index = cairo

--- A canvas.
-- @number width in pixels of the plot
-- @number height
-- @number zoom pixels of the file per pixel of the plot
-- @treturn table
-- @raise if cairo is missing, or has no memory for the picture
function cairo.new(width, height, zoom)
  local C = open()
  local surface = C.mt_cairo_image(argb, math.ceil(width * zoom), math.ceil(height * zoom))
  local status = C.mt_cairo_surface_status(surface)
  if status ~= 0 then
    C.mt_cairo_surface_destroy(surface)
    error(('plot: a picture of %dx%d: %s'):format(width * zoom, height * zoom, ffi.string(C.mt_cairo_message(status))), 0)
  end
  surface = ffi.gc(surface, C.mt_cairo_surface_destroy)
  local context = ffi.gc(C.mt_cairo_new(surface), C.mt_cairo_destroy)
  C.mt_cairo_scale(context, zoom, zoom)
  C.mt_cairo_font(context, 'DejaVu Sans', 0, 0)
  C.mt_cairo_join(context, roundJoin)
  return setmetatable({ width = width, height = height, surface = surface, context = context }, cairo)
end

-- Fills and strokes the current path.
local function draw(self, style)
  local C, c, alpha = opened, self.context, style.alpha or 1
  if style.fill then
    local r, g, b = colors.parts(style.fill)
    C.mt_cairo_color(c, r, g, b, alpha)
    C.mt_cairo_fill(c)
  end
  if style.stroke then
    local r, g, b = colors.parts(style.stroke)
    C.mt_cairo_color(c, r, g, b, alpha)
    C.mt_cairo_line_width(c, style.width or 1)
    local lengths = {}
    for length in (style.dash or ''):gmatch '[%d.]+' do lengths[#lengths + 1] = tonumber(length) end
    C.mt_cairo_dash(c, ffi.new('double[?]', math.max(#lengths, 1), lengths), #lengths, 0)
    C.mt_cairo_stroke(c)
  end
  C.mt_cairo_new_path(c)
end

function cairo:path(points, style)
  if #points < 4 then return end
  local C, c = opened, self.context
  C.mt_cairo_move(c, points[1], points[2])
  for i = 3, #points, 2 do C.mt_cairo_line(c, points[i], points[i + 1]) end
  if style.closed then C.mt_cairo_close(c) end
  draw(self, style)
end

function cairo:shapes(list, style)
  local C, c = opened, self.context
  for _, points in ipairs(list) do
    C.mt_cairo_move(c, points[1], points[2])
    for i = 3, #points, 2 do C.mt_cairo_line(c, points[i], points[i + 1]) end
    C.mt_cairo_close(c)
  end
  draw(self, style)
end

function cairo:rect(x, y, width, height, style)
  opened.mt_cairo_rectangle(self.context, x, y, width, height)
  draw(self, style)
end

function cairo:circle(x, y, radius, style)
  opened.mt_cairo_arc(self.context, x, y, radius, 0, 2 * math.pi)
  draw(self, style)
end

local shifts = { start = 0, middle = -0.5, ['end'] = -1 }

function cairo:text(x, y, text, style)
  local C, c, extents = opened, self.context, ffi.new 'mt_cairo_extents'
  text = text:gsub('%z', '')
  C.mt_cairo_save(c)
  local r, g, b = colors.parts(style.color or '#000000')
  C.mt_cairo_color(c, r, g, b, 1)
  C.mt_cairo_font_size(c, style.size)
  C.mt_cairo_extents_of(c, text, extents)
  C.mt_cairo_translate(c, x, y)
  if style.rotate then C.mt_cairo_rotate(c, math.rad(style.rotate)) end
  C.mt_cairo_move(c, shifts[style.anchor or 'start'] * extents.x_advance, 0)
  C.mt_cairo_show(c, text)
  C.mt_cairo_restore(c)
  C.mt_cairo_new_path(c)
end

function cairo:image(x, y, width, height, pixels)
  local C, c = opened, self.context
  local surface = C.mt_cairo_image(rgb24, pixels.width, pixels.height)
  if C.mt_cairo_surface_status(surface) == 0 then
    local data, stride = C.mt_cairo_data(surface), C.mt_cairo_stride(surface)
    local from = ffi.cast('const uint8_t *', pixels.rgb)
    for row = 0, pixels.height - 1 do
      local to = ffi.cast('uint32_t *', data + row * stride)
      for column = 0, pixels.width - 1 do
        local p = from + 3 * (row * pixels.width + column)
        to[column] = p[0] * 65536 + p[1] * 256 + p[2]
      end
    end
    C.mt_cairo_surface_dirty(surface)
    C.mt_cairo_save(c)
    C.mt_cairo_translate(c, x, y)
    C.mt_cairo_scale(c, width / pixels.width, height / pixels.height)
    C.mt_cairo_source(c, surface, 0, 0)
    C.mt_cairo_filter(C.mt_cairo_get_source(c), nearest)
    C.mt_cairo_paint(c)
    C.mt_cairo_restore(c)
  end
  C.mt_cairo_surface_destroy(surface)
end

function cairo:clip(x, y, width, height, inside)
  local C, c = opened, self.context
  C.mt_cairo_save(c)
  C.mt_cairo_rectangle(c, x, y, width, height)
  C.mt_cairo_clip(c)
  inside()
  C.mt_cairo_restore(c)
end

--- Writes the picture.
-- @string name of the file
-- @raise cairo's error
function cairo:save(name)
  local C = opened
  C.mt_cairo_surface_flush(self.surface)
  local status = C.mt_cairo_write_png(self.surface, name)
  if status ~= 0 then error(('plot: %s: %s'):format(name, ffi.string(C.mt_cairo_message(status))), 0) end
end

return cairo
