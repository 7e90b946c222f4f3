# Writes picture files by Pillow, and Pillow's decoded samples: `python3 spec/image/figures.py >spec/image/figures.lua`. Each entry: the
# file in hexadecimal digits, its size, and Pillow's samples, channels x height x width.
import ctypes, io, struct, textwrap, zlib
import numpy as np
from PIL import Image

rng = np.random.RandomState(7)


def smooth(h, w, c, most=255):
    y, x = np.mgrid[0:h, 0:w]
    planes = [(np.sin(x / 3.0 + k) + np.cos(y / 4.0 - k) + 2) / 4 * most for k in range(c)]
    return np.stack(planes, -1).round().astype(np.uint8 if most == 255 else np.uint16)


def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))


def png16(pixels, kind, interlace=0):
    """A PNG of 16 bits, which Pillow writes for grey alone: from the format's own rules."""
    h, w = pixels.shape[:2]
    raw = b''.join(b'\0' + pixels[y].astype('>u2').tobytes() for y in range(h))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 16, kind, 0, 0, interlace)) +
            chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b''))


def adam7(pixels, kind):
    """An interlaced PNG of 8 bits: the seven passes, one after the other, without filters."""
    h, w = pixels.shape[:2]
    raw = b''
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        part = pixels[y0::dy, x0::dx]
        if part.size:
            raw += b''.join(b'\0' + row.tobytes() for row in part)
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, kind, 0, 0, 1)) + chunk(b'IDAT', zlib.compress(raw)) +
            chunk(b'IEND', b''))


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


entries = []


def digits(data):
    return textwrap.fill(data.hex(), 136)


def show(name, data, samples, bits=8):
    samples = np.asarray(samples)
    if samples.ndim == 2:
        samples = samples[:, :, None]
    planes = samples.transpose(2, 0, 1)
    samples = textwrap.fill(', '.join(str(int(v)) for v in planes.ravel()), 136)
    entries.append('  { name = %r, bits = %d, size = { %d, %d, %d }, file = [[\n%s\n]], samples = {\n%s\n} },' %
                   (name, bits, *planes.shape, digits(data), samples))


def show_by_pillow(name, data, mode):
    show(name, data, np.asarray(Image.open(io.BytesIO(data)).convert(mode)))


rgb, grey = smooth(11, 14, 3), smooth(9, 10, 1)[:, :, 0]
alpha = np.concatenate([rgb, smooth(11, 14, 5)[:, :, 4:]], -1)
show_by_pillow('png rgb', saved(Image.fromarray(rgb), 'PNG'), 'RGB')
show_by_pillow('png grey', saved(Image.fromarray(grey), 'PNG'), 'L')
show_by_pillow('png rgba', saved(Image.fromarray(alpha), 'PNG'), 'RGBA')
show_by_pillow('png grey and alpha', saved(Image.fromarray(alpha[:, :, 2:]), 'PNG'), 'LA')
palette = Image.fromarray(rgb).quantize(13)
show_by_pillow('png palette of 4 bits', saved(palette, 'PNG'), 'RGB')
show_by_pillow('png palette with a transparent colour', saved(palette, 'PNG', transparency=3), 'RGBA')
show_by_pillow('png of one bit', saved(Image.fromarray(grey > 120), 'PNG'), 'L')
show('png interlaced', adam7(rgb, 2), rgb)
deep, deep_grey = smooth(5, 6, 3, 65535), smooth(5, 6, 1, 65535)[:, :, 0]
show('png rgb of 16 bits', png16(deep, 2), deep, 16)
show('png grey of 16 bits', png16(deep_grey, 0), deep_grey, 16)
show_by_pillow('jpeg 4:2:0', saved(Image.fromarray(rgb), 'JPEG', quality=80), 'RGB')
show_by_pillow('jpeg 4:4:4', saved(Image.fromarray(rgb), 'JPEG', quality=95, subsampling=0), 'RGB')
show_by_pillow('jpeg progressive', saved(Image.fromarray(rgb), 'JPEG', quality=80, progressive=True), 'RGB')
show_by_pillow('jpeg grey', saved(Image.fromarray(grey), 'JPEG', quality=80), 'L')
cmyk = np.concatenate([rgb, 255 - alpha[:, :, 3:]], -1)
show_by_pillow('jpeg cmyk', saved(Image.fromarray(cmyk, 'CMYK'), 'JPEG', quality=90), 'RGB')


def ycck(inks):
    """libjpeg-turbo makes YCCK of CMYK, which Pillow can't."""
    turbo = ctypes.CDLL('libturbojpeg.so.0')
    turbo.tjInitCompress.restype = ctypes.c_void_p
    out, size = ctypes.c_void_p(), ctypes.c_ulong()
    cmyk_pixels, subsampling_420 = 11, 2
    turbo.tjCompress2(ctypes.c_void_p(turbo.tjInitCompress()), np.ascontiguousarray(inks).ctypes.data_as(ctypes.c_void_p), inks.shape[1], 0,
                      inks.shape[0], cmyk_pixels, ctypes.byref(out), ctypes.byref(size), subsampling_420, 90, 0)
    return ctypes.string_at(out, size.value)


show_by_pillow('jpeg ycck', ycck(255 - cmyk), 'RGB')
show('ppm', b'P6\n# a comment\n14 11\n255\n' + rgb.tobytes(), rgb)
show('ppm of 16 bits', b'P6 6 5 65535\n' + deep.astype('>u2').tobytes(), deep, 16)
show('ppm as text', b'P3\n3 2 # size\n255\n' + b' '.join(str(v).encode() for v in rgb[:2, :3].ravel()), rgb[:2, :3])
show('pgm', b'P5\n10 9\n255\n' + grey.tobytes(), grey)
show('pgm as text', b'P2 4 1 255 0 17 254 255\n', np.array([[0, 17, 254, 255]]))
show('pbm', b'P4\n10 2\n' + bytes([0b10100000, 0b01000000, 0b11111111, 0b10000000]),
     [[0, 1, 0, 1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]], 1)
show('pbm as text', b'P1\n3 2\n101\n0 1 0\n', [[0, 1, 0], [1, 0, 1]], 1)

exif = []
for orientation in range(1, 9):
    tags = Image.Exif()
    tags[0x0112] = orientation
    exif.append('[[\n%s\n]]' % digits(saved(Image.fromarray(grey[:4, :6].repeat(8, 0).repeat(8, 1)), 'JPEG', exif=tags)))

from PIL import ImageOps

dull = Image.fromarray((smooth(11, 14, 3) // 3 + 40).astype(np.uint8))


def listed(values):
    return '{\n' + textwrap.fill(', '.join(str(int(v)) for v in values), 136) + '\n}'


def planes(image):
    return listed(np.asarray(image).transpose(2, 0, 1).ravel())


print('-- Written by figures.py.\nreturn {\n  levels = {')
for name, values in (('dull', planes(dull)), ('histogram', listed(dull.histogram())), ('equalize', planes(ImageOps.equalize(dull))),
                     ('autocontrast', planes(ImageOps.autocontrast(dull)))):
    print('    %s = %s,' % (name, values))
print('  },\n  files = {')
print('\n'.join(entries))
print('  },\n  exif = {\n    ' + ',\n    '.join(exif) + ',\n  },\n}')
