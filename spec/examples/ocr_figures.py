"""Writes ocr.png, and ocr_figures.lua: what rapidocr and ONNX Runtime make of it. Run from the root of the repository, with rapidocr 3.10,
onnxruntime, opencv-python-headless and Pillow, and DejaVu's fonts:

    python3 spec/examples/ocr_figures.py
"""
import os
from importlib.metadata import version

import numpy as np
import onnxruntime
import rapidocr
from PIL import Image, ImageDraw, ImageFont

FONTS = '/usr/share/fonts/truetype/dejavu/'
MODELS = os.path.join(os.path.dirname(rapidocr.__file__), 'models')
PICTURE = 'spec/examples/ocr.png'


def font(size, name='DejaVuSans'):
    return ImageFont.truetype(f'{FONTS}{name}.ttf', size)


def picture():
    page = Image.new('RGB', (640, 420), (250, 248, 240))
    draw = ImageDraw.Draw(page)
    draw.text((30, 20), 'Harbour timetable', font=font(40, 'DejaVuSerif-Bold'), fill=(20, 30, 80))
    draw.text((30, 85), 'Ferry 12 leaves at 08:45 from pier 3.', font=font(22), fill=(30, 30, 30))
    draw.text((30, 120), 'Tickets: 4.80 EUR, children free', font=font(16), fill=(60, 60, 60))
    draw.rectangle((380, 150, 610, 205), fill=(40, 90, 60))
    draw.text((395, 160), 'EXIT 27', font=font(34, 'DejaVuSans-Bold'), fill=(255, 255, 255))
    draw.text((330, 330), 'small print, 11 points high', font=font(11), fill=(40, 40, 40))
    draw.text((300, 370), '\u00bfQu\u00e9 tal? Gr\u00f6\u00dfe 5\u00b5m', font=font(24, 'DejaVuSansMono'), fill=(90, 20, 90))

    def turned(text, size, angle, place, colour):
        right, bottom = font(size).getbbox(text)[2:]
        label = Image.new('RGBA', (right + 8, bottom + 8), (0, 0, 0, 0))
        ImageDraw.Draw(label).text((4, 4), text, font=font(size), fill=colour)
        label = label.rotate(angle, expand=True, resample=Image.Resampling.BICUBIC)
        page.paste(label, place, label)

    turned('slightly turned line', 26, 12, (40, 170), (120, 30, 30))
    turned('upside down', 30, 180, (380, 240), (30, 30, 120))
    turned('vertical', 28, 90, (590, 250), (30, 30, 30))
    turned('steep 3.14159', 24, -35, (60, 250), (0, 90, 110))
    return page.quantize(64)


def part(x, y, width, height):
    """A part of the picture as the networks want it: blue first, from -1 to 1."""
    rows = np.asarray(Image.open(PICTURE).convert('RGB'))[y:y + height, x:x + width, ::-1]
    return (rows.astype(np.float32) / 127.5 - 1).transpose(2, 0, 1)[None].copy()


def outputs(file, *place):
    session = onnxruntime.InferenceSession(os.path.join(MODELS, file))
    return session.run(None, {session.get_inputs()[0].name: part(*place)})[0]


def numbers(values):
    lines, line = [], ''
    for value in values:
        word = f'{value:.7g}, '
        if len(line) + len(word) > 120:
            lines, line = lines + [line.rstrip()], ''
        line += word
    return '{\n    ' + '\n    '.join(lines + [line.rstrip()]) + '\n  }'


def main():
    picture().save(PICTURE, optimize=True)
    read = rapidocr.RapidOCR(params={'Global.log_level': 'error'})(PICTURE)
    with open('spec/examples/ocr_figures.lua', 'w', encoding='utf-8') as file:
        file.write(f'-- Written by ocr_figures.py: what rapidocr {version("rapidocr")} reads in ocr.png, and outputs of the networks, from ONNX\n')
        file.write(f'-- Runtime {onnxruntime.__version__}.\nreturn {{\n  lines = {{\n')
        for box, text, score in zip(read.boxes, read.txts, read.scores):
            corners = ', '.join('{ %d, %d }' % tuple(corner) for corner in box)
            file.write(f'    {{ text = "{text}", score = {score:.3f}, corners = {{ {corners} }} }},\n')
        file.write('  },\n  -- columns from, rows from, columns, rows; every 53rd element\n')
        detected = outputs('PP-OCRv6_det_small.onnx', 20, 10, 320, 96)
        file.write(f'  detection = {{ part = {{ 20, 10, 320, 96 }}, values = {numbers(detected.reshape(-1)[::53])} }},\n')
        angle = outputs('ch_ppocr_mobile_v2.0_cls_mobile.onnx', 380, 232, 192, 48)
        file.write(f'  angle = {{ part = {{ 380, 232, 192, 48 }}, values = {numbers(angle.reshape(-1))} }},\n')
        letters = outputs('PP-OCRv6_rec_small.onnx', 24, 18, 440, 48)[0]
        file.write('  -- at each place: the best class, from 1, and its probability; every 4999th probability of all\n')
        file.write(f'  reading = {{\n    part = {{ 24, 18, 440, 48 }}, classes = {numbers(letters.argmax(1) + 1)},\n')
        file.write(f'    best = {numbers(letters.max(1))}, values = {numbers(letters.reshape(-1)[::4999])},\n  }},\n}}\n')


if __name__ == '__main__':
    main()
