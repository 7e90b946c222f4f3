#!/usr/bin/env python3
"""Writes the pictures of this folder, which formats_spec.lua reads: python3 spec/image/formats/figures.py. (Pillow 12, tifffile 2026)
All show the same formulas; what no library writes is made of bytes here, as the formats' specifications have it."""
import os
import struct

import numpy as np
import tifffile
from PIL import Image

os.chdir(os.path.dirname(os.path.abspath(__file__)))
H, W = 11, 13
y, x, c = np.meshgrid(np.arange(H), np.arange(W), np.arange(4), indexing='ij')
rgba = ((x * 37 + y * 91 + c * 53) % 256).astype('u1')
rgb, grey = rgba[..., :3].copy(), rgba[..., 0].copy()
index = ((x + 3 * y) % 7).astype('u1')[..., 0].copy()
palette = [((i * 40 + k * 17) % 256) for i in range(7) for k in range(3)]
wide = rgba.astype('u2') * 256 + 3

# BMP
Image.fromarray(rgb).save('rgb.bmp')
Image.fromarray(rgba).save('rgba.bmp')
Image.fromarray(grey).save('grey.bmp')
p = Image.fromarray(index, 'P')
p.putpalette(palette)
p.save('palette.bmp')
Image.fromarray(index % 2 * 255).convert('1').save('bits1.bmp')


def bmp(name, bits, coding, pixels, height=H, header=40, masks=b'', colors=b''):
    if header == 12:
        info = struct.pack('<IHHHH', 12, W, height, 1, bits)
    else:
        info = struct.pack('<IiiHHIIiiII', header, W, height, 1, bits, coding, len(pixels), 2835, 2835, len(colors) // 4, 0)
    first = 14 + len(info) + len(masks) + len(colors)
    with open(name, 'wb') as f:
        f.write(b'BM' + struct.pack('<IHHI', first + len(pixels), 0, 0, first) + info + masks + colors + pixels)


def padded(row):
    return row + b'\0' * (-len(row) % 4)


quads = b''.join(bytes(palette[3 * i:3 * i + 3][::-1]) + b'\0' for i in range(7))
triples = b''.join(bytes(palette[3 * i:3 * i + 3][::-1]) for i in range(7)) + b'\0' * 9 * 3
nibbles = [padded(bytes(r[i] << 4 | (r[i + 1] if i + 1 < W else 0) for i in range(0, W, 2))) for r in index]
bmp('bits4.bmp', 4, 0, b''.join(nibbles[::-1]), colors=quads)
bmp('os2.bmp', 4, 0, b''.join(nibbles[::-1]), header=12, colors=triples)
bmp('top_down.bmp', 4, 0, b''.join(nibbles), height=-H, colors=quads)
runs8 = b''
for r in index[::-1]:  # a run, a run in full, an odd number as they are, end of line
    runs8 += bytes([1, r[0], 2, r[1]]) if r[1] == r[2] else bytes([1, r[0], 1, r[1], 1, r[2]])
    runs8 += bytes([0, W - 3]) + bytes(r[3:]) + b'\0' * ((W - 3) % 2) + b'\0\0'
bmp('runs8.bmp', 8, 1, runs8 + b'\0\1', colors=quads)
runs4 = b''
for r in index[::-1]:  # a run of two colours, five as they are, runs of one
    runs4 += bytes([2, r[0] << 4 | r[1], 0, 5, r[2] << 4 | r[3], r[4] << 4 | r[5], r[6] << 4, 0])
    runs4 += b''.join(bytes([1, v << 4]) for v in r[7:]) + b'\0\0'
bmp('runs4.bmp', 4, 2, runs4 + b'\0\1', colors=quads)
v = rgba.astype('u4')
b555 = (v[..., 0] >> 3) << 10 | (v[..., 1] >> 3) << 5 | v[..., 2] >> 3
bmp('rgb555.bmp', 16, 0, b''.join(padded(r.astype('<u2').tobytes()) for r in b555[::-1]))
b565 = (v[..., 0] >> 3) << 11 | (v[..., 1] >> 2) << 5 | v[..., 2] >> 3
bmp('rgb565.bmp', 16, 3, b''.join(padded(r.astype('<u2').tobytes()) for r in b565[::-1]), masks=struct.pack('<III', 0xF800, 0x7E0, 0x1F))
b1010 = (v[..., 0] << 22) | (v[..., 1] << 12) | v[..., 2] << 2
bmp('rgb101010.bmp', 32, 3, b''.join(r.astype('<u4').tobytes() for r in b1010[::-1]), masks=struct.pack('<III', 0x3FF << 20, 0x3FF << 10, 0x3FF))
for name in ('runs8', 'runs4', 'bits4', 'top_down'):
    assert (np.asarray(Image.open(name + '.bmp').convert('RGB')) == np.array(palette).reshape(7, 3)[index]).all(), name

# GIF
p.save('palette.gif')
p.save('interlaced.gif', interlace=1)
p.info['transparency'] = 3
p.save('transparent.gif', transparency=3)
frames = []
for k in range(3):
    f = Image.fromarray(np.roll(index, k, 1), 'P')
    f.putpalette(palette)
    frames.append(f)
frames[0].save('frames.gif', save_all=True, append_images=frames[1:], duration=[100, 50, 200], optimize=False)


def gif_frame(left, top, width, height, value, disposal, transparent=None, delay=7):
    """A frame of one colour, in codes of 9 bits that are never a table's: clear, colour, clear, colour, ..., end."""
    codes = []
    for _ in range(width * height):
        codes += [256, value]
    codes.append(257)
    bits, packed, n = 0, bytearray(), 0
    for code in codes:
        bits |= code << n
        n += 9
        while n >= 8:
            packed.append(bits & 255)
            bits >>= 8
            n -= 8
    if n:
        packed.append(bits & 255)
    flags = disposal << 2 | (transparent is not None)
    out = b'!\xf9\4' + struct.pack('<BHB', flags, delay, transparent or 0) + b'\0,' + struct.pack('<HHHHB', left, top, width, height, 0) + b'\x08'
    for i in range(0, len(packed), 255):
        out += bytes([len(packed[i:i + 255])]) + bytes(packed[i:i + 255])
    return out + b'\0'


table = bytes(palette) + b'\0' * (256 * 3 - len(palette))
start = b'GIF89a' + struct.pack('<HHBBB', 4, 3, 0xF7, 0, 0) + table
with open('disposal.gif', 'wb') as f:  # a picture; a square that is restored; one to the background; one that sticks out
    f.write(start + gif_frame(0, 0, 4, 3, 1, 1) + gif_frame(1, 1, 2, 1, 2, 3) + gif_frame(0, 0, 2, 2, 3, 2) + gif_frame(3, 2, 3, 3, 4, 0) + b';')
with open('no_end.gif', 'wb') as f:
    f.write(start + gif_frame(0, 0, 4, 3, 5, 0))

# WebP
Image.fromarray(rgb).save('lossless.webp', lossless=True)
Image.fromarray(rgba).save('alpha.webp', lossless=True, exact=True)
smooth = np.stack([x[..., 0] * 15, y[..., 0] * 20, (x + y)[..., 0] * 8], -1).astype('u1')
Image.fromarray(smooth).save('lossy.webp', quality=95)
moving = [Image.fromarray(np.roll(rgb, k, 1)) for k in range(3)]
moving[0].save('frames.webp', save_all=True, append_images=moving[1:], duration=[100, 50, 200], lossless=True)

# TIFF
write = tifffile.imwrite
write('rgb.tif', rgb, photometric='rgb', compression=None)
write('grey.tif', grey, photometric='minisblack', byteorder='>')
write('white.tif', grey, photometric='miniswhite')
write('rgb16.tif', wide[..., :3], photometric='rgb', byteorder='>', compression='zlib', predictor=True)
write('rgba16.tif', wide, photometric='rgb', extrasamples=['unassalpha'])
write('planar.tif', np.moveaxis(rgb, -1, 0).copy(), photometric='rgb', planarconfig='separate')
tall = ((np.arange(40)[:, None, None] * 91 + np.arange(37)[None, :, None] * 37 + np.arange(3) * 53) % 256).astype('u1')
write('tiles.tif', tall, photometric='rgb', tile=(16, 16), compression='zlib')
write('tiles_planar.tif', np.moveaxis(tall, -1, 0).copy(), photometric='rgb', planarconfig='separate', tile=(16, 32))
write('strips.tif', rgb, photometric='rgb', rowsperstrip=4)
write('big.tif', grey, photometric='minisblack', bigtiff=True)
write('float32.tif', (grey / 7 - 3).astype('f4'), photometric='minisblack')
write('float64.tif', grey / 7 - 3, photometric='minisblack', compression='zlib')
write('int16.tif', grey.astype('i2') - 100, photometric='minisblack')
write('uint32.tif', grey.astype('u4') * 1000000, photometric='minisblack')
write('five.tif', np.stack([grey] + [grey * 0] * 4, -1), photometric='minisblack', planarconfig='contig')
with tifffile.TiffWriter('pages.tif') as f:
    f.write(grey, photometric='minisblack')
    f.write(rgb[:5, :7].copy(), photometric='rgb')
p = Image.fromarray(index, 'P')
p.putpalette(palette)
p.save('palette.tif')
p.save('lzw.tif', compression='tiff_lzw')
p.save('packbits.tif', compression='packbits')
Image.fromarray(index % 2 * 255).convert('1').save('bits1.tif', compression='group4')
Image.fromarray(grey).save('turned.tif', tiffinfo={274: 6})
Image.fromarray(smooth).save('jpeg.tif', compression='jpeg', quality=95)
Image.fromarray(smooth).convert('CMYK').save('cmyk.tif')
Image.fromarray(smooth).convert('LAB').save('lab.tif')
Image.fromarray(np.stack([grey, 255 - grey], -1), 'LA').save('grey_alpha.tif')
