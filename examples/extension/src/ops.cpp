// The table by which Moontorch finds the ops.
#include "ops.h"

MT_EXTENSION_OPS(&ema, &ema_grad, &every, &pseudo_huber);
