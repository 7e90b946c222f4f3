-- Written by table_figures.py: what pandas and NumPy compute of the penguins.
return {
  count = 333,
  Adelie = { mean = 3706.16, std = 458.62, q = 4325, slope = 32.6889, intercept = -2508.09, female = 3368.84, male = 4043.49 },
  Chinstrap = { mean = 3733.09, std = 384.335, q = 4195, slope = 34.5734, intercept = -3037.2, female = 3527.21, male = 3938.97 },
  Gentoo = { mean = 5092.44, std = 501.476, q = 5710, slope = 54.1654, intercept = -6674.2, female = 4679.74, male = 5484.84 },
}
