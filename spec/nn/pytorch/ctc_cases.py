"""Connectionist temporal classification: see figures.py."""
from figures import case

CASES = []
FORMS = (("torch.LongTensor { { 2, 3, 2 }, { 3, 3, 4 } }, {3}, torch.LongTensor { 3, 2 }", "torch.tensor([[1, 2, 1], [2, 2, 3]]), {3}, torch.tensor([3, 2])"),
         ("torch.LongTensor { 2, 3, 2, 3, 3 }, {3}, torch.LongTensor { 3, 2 }", "torch.tensor([1, 2, 1, 2, 2]), {3}, torch.tensor([3, 2])"))
for ours, theirs in FORMS:
    for reduction in ("mean", "sum", "none"):
        for steps in ("6, 6", "6, 4"):
            CASES.append(case(
                "F.ctcLoss(F.logSoftmax(x1, 3), %s, { reduction = '%s' })" % (ours.replace("{3}", "torch.LongTensor { %s }" % steps), reduction),
                "F.ctc_loss(F.log_softmax(x1, 2), %s, reduction='%s')" % (theirs.replace("{3}", "torch.tensor([%s])" % steps), reduction),
                (6, 2, 4)))
for zero in ("false", "true"):
    CASES.append(case("F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 2 }, { 3, 2 } }, { 2, 2 }, { 2, 2 }, 1, 'none', %s)" % zero,
                      "F.ctc_loss(F.log_softmax(x1, 2), torch.tensor([[1, 1], [2, 1]]), (2, 2), (2, 2), 0, 'none', %s)" % zero.title(),
                      (2, 2, 4), gradient=zero == "true"))
CASES.append(case("F.ctcLoss(F.logSoftmax(x1, 2), torch.LongTensor { 2, 4 }, 5, 2, { blank = 3 })",
                  "F.ctc_loss(F.log_softmax(x1, 1), torch.tensor([1, 3]), torch.tensor(5), torch.tensor(2), blank=2)", (5, 4)))
CASES.append(case("F.ctcLoss(F.logSoftmax(x1, 3), torch.LongTensor { { 2, 4 }, { 1, 1 } }, { 5, 4 }, { 2, 0 }, { blank = 3 })",
                  "F.ctc_loss(F.log_softmax(x1, 2), torch.tensor([[1, 3], [0, 0]]), (5, 4), (2, 0), blank=2)", (5, 2, 4)))
CASES.append(case("m(F.logSoftmax(x1, 3), { torch.LongTensor { 2, 3, 4 }, { 6, 5 }, { 1, 2 } })",
                  "m(F.log_softmax(x1, 2), torch.tensor([1, 2, 3]), (6, 5), (1, 2))", (6, 2, 4), protocol=False,
                  module=("nn.CTCLoss()", "nn.CTCLoss()")))
CASES.append(case("m(F.logSoftmax(x1, 3), { torch.LongTensor { { 2 }, { 3 } }, { 6, 5 }, { 1, 1 } })",
                  "m(F.log_softmax(x1, 2), torch.tensor([[1], [2]]), (6, 5), (1, 1))", (6, 2, 4), protocol=False,
                  module=("nn.CTCLoss { reduction = 'sum', zeroInfinity = true }", "nn.CTCLoss(reduction='sum', zero_infinity=True)")))
