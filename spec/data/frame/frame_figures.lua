-- Written by frame_figures.py: pandas' results for a table.
return {
  text = [[
species,length,width,count,site
iris,5.1,3.5,7,north
poppy,4.0,,2,south
iris,4.9,3.0,,north
rose,6.25,2.5,4,
poppy,4.5,1.5,9,north
iris,5.1,3.25,1,south
rose,,2.75,4,south
]],
  describe = {
    length = { 6.0, 4.9750000000000005, 0.7534918712235719, 4.0, 4.6, 5.0, 5.1, 6.25 },
    width = { 6.0, 2.75, 0.7071067811865476, 1.5, 2.5625, 2.875, 3.1875, 3.5 },
    count = { 6.0, 4.5, 3.0166206257996713, 1.0, 2.5, 4.0, 6.25, 9.0 },
  },
  complete = { 1.0, 5.0, 6.0 },
  measured = { 1.0, 2.0, 4.0, 5.0, 6.0 },
  sorted = { 6.0, 1.0, 3.0, 2.0, 5.0, 4.0, 7.0 },
  descending = { 4.0, 1.0, 6.0, 3.0, 5.0, 2.0, 7.0 },
  counts = { { 'iris', 'poppy', 'rose' }, { 3.0, 2.0, 2.0 } },
  groups = {
    mean = {
      species = { 'iris', 'poppy', 'rose' },
      length = { 5.033333333333333, 4.25, 6.25 },
      width = { 3.25, 1.5, 2.625 },
      count = { 4.0, 5.5, 4.0 },
    },
    sum = {
      species = { 'iris', 'poppy', 'rose' },
      length = { 15.1, 8.5, 6.25 },
      width = { 9.75, 1.5, 5.25 },
      count = { 8.0, 11.0, 8.0 },
    },
    min = {
      species = { 'iris', 'poppy', 'rose' },
      length = { 4.9, 4.0, 6.25 },
      width = { 3.0, 1.5, 2.5 },
      count = { 1.0, 2.0, 4.0 },
    },
    max = {
      species = { 'iris', 'poppy', 'rose' },
      length = { 5.1, 4.5, 6.25 },
      width = { 3.5, 1.5, 2.75 },
      count = { 7.0, 9.0, 4.0 },
    },
    std = {
      species = { 'iris', 'poppy', 'rose' },
      length = { 0.11547005383792475, 0.3535533905932738, 0/0 },
      width = { 0.25, 0/0, 0.1767766952966369 },
      count = { 4.242640687119285, 4.949747468305833, 0.0 },
    },
    median = {
      species = { 'iris', 'poppy', 'rose' },
      length = { 5.1, 4.25, 6.25 },
      width = { 3.25, 1.5, 2.625 },
      count = { 4.0, 5.5, 4.0 },
    },
    count = {
      species = { 'iris', 'poppy', 'rose' },
      length = { 3.0, 2.0, 1.0 },
      width = { 3.0, 1.0, 2.0 },
      count = { 2.0, 2.0, 2.0 },
    },
  },
  both = { { 'north', 'north', 'south', 'south', 'south' }, { 'iris', 'poppy', 'iris', 'poppy', 'rose' }, { 2.0, 1.0, 1.0, 1.0, 0.0 } },
}
