-- Written by spec/nn/summary_figures.py.
return {
  { name = "mlp", input = { 5, 3 }, parameters = 240, multiplyAdds = 1000, layers = { 160, 0, 80 } },
  { name = "pictures", input = { 2, 4, 9, 11 }, parameters = 111, multiplyAdds = 4536, layers = { 78, 12, 0, 0, 21 } },
  { name = "up", input = { 2, 2, 4, 5 }, parameters = 57, multiplyAdds = 2160, layers = { 57, 0 } },
  { name = "volumes", input = { 2, 2, 3, 4, 5 }, parameters = 39, multiplyAdds = 1440, layers = { 39 } },
  { name = "attention", input = { 2, 7, 8 }, parameters = 288, multiplyAdds = 5152, layers = { 288 } },
  { name = "lstm", input = { 5, 2, 3 }, parameters = 144, multiplyAdds = 1120, layers = {  } },
  { name = "gru", input = { 5, 2, 3 }, parameters = 108, multiplyAdds = 840, layers = {  } },
}
