/* An LV2 plug-in that tells the pitch of a voice or an instrument: it passes the sound on, and has the frequency (Hz) and the confidence (0
 * to 1) as control outputs. `run` copies samples, and every 256 samples at 16 kHz runs a prepared graph (pitch.mtg of export.lua, in the
 * bundle). It allocates nothing and takes no lock where convolutions are Moontorch's own: with MOONTORCH_DNNL=0, or a small library. The
 * rate of the host is a multiple of 16 kHz.
 *
 *     cc -shared -fPIC pitch.c -lmoontorch -lm -o pitch.lv2/pitch.so */
#include <lv2/core/lv2.h>
#include <math.h>
#include <moontorch/moontorch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN, OUT, FREQUENCY, CONFIDENCE, PORTS };
enum { RATE = 16000, FRAME = 1024, HOP = 256, PITCHES = 360, AROUND = 4 };

typedef struct Pitch {
  mt_prepared* network;
  mt_tensor *input, *output;
  float* ports[PORTS];
  float samples[FRAME]; /* the last ones at 16 kHz, a ring */
  int first, fresh;     /* where it begins, and the samples since the last run */
  int factor, summed;   /* of the host's rate, and the samples in `sum` */
  float sum, frequency, confidence;
} Pitch;

static void cleanup(LV2_Handle handle) {
  Pitch* const p = handle;
  if (p == NULL) return;
  mt_tensor_release(p->input);
  mt_tensor_release(p->output);
  mt_prepared_free(p->network);
  free(p);
}

static LV2_Handle instantiate(const LV2_Descriptor* descriptor, double rate, const char* bundle, const LV2_Feature* const* features) {
  const char name[] = "pitch.mtg";
  const size_t length = strlen(bundle);
  char* const path = malloc(length + sizeof name + 1);
  Pitch* const p = calloc(1, sizeof *p);
  mt_graph* graph = NULL;
  int ready = 0;
  (void)descriptor, (void)features;
  if (p != NULL && path != NULL) {
    sprintf(path, "%s%s%s", bundle, length > 0 && bundle[length - 1] == '/' ? "" : "/", name);
    p->factor = (int)(rate / RATE);
    if (p->factor < 1 || p->factor * (double)RATE != rate)
      fprintf(stderr, "pitch: a rate of %g Hz, expected a multiple of %d\n", rate, RATE);
    else if (mt_set_num_threads(1) != MT_OK || mt_graph_load(path, &graph) != MT_OK ||
             mt_graph_prepare(graph, NULL, 0, &p->network) != MT_OK || mt_prepared_input(p->network, 0, &p->input) != MT_OK ||
             mt_prepared_output(p->network, 0, &p->output) != MT_OK)
      fprintf(stderr, "pitch: %s\n", mt_error_message());
    else if (mt_tensor_dtype(p->input) != MT_FLOAT32 || mt_tensor_count(p->input) != FRAME || mt_tensor_dtype(p->output) != MT_FLOAT32 ||
             mt_tensor_count(p->output) != PITCHES)
      fprintf(stderr, "pitch: %s: another graph, expected that of export.lua\n", path);
    else
      ready = 1;
  }
  mt_graph_free(graph);
  free(path);
  if (ready) return p;
  cleanup(p);
  return NULL;
}

static void connect_port(LV2_Handle handle, uint32_t port, void* data) {
  if (port < PORTS) ((Pitch*)handle)->ports[port] = data;
}

static void activate(LV2_Handle handle) {
  Pitch* const p = handle;
  memset(p->samples, 0, sizeof p->samples);
  p->first = p->fresh = p->summed = 0;
  p->sum = p->frequency = p->confidence = 0;
}

/* The frame with mean 0 and deviation 1, as the network's input. */
static void describe(const Pitch* p) {
  float* const x = mt_tensor_data(p->input);
  float mean = 0, variance = 0;
  int i;
  for (i = 0; i < FRAME; ++i) mean += p->samples[i] / FRAME;
  for (i = 0; i < FRAME; ++i) variance += (p->samples[i] - mean) * (p->samples[i] - mean) / FRAME;
  for (i = 0; i < FRAME; ++i) x[i] = (p->samples[(p->first + i) % FRAME] - mean) / fmaxf(sqrtf(variance), 1e-10f);
}

/* The mean of the pitches around the most probable one, weighted by their probabilities. */
static void read_pitch(Pitch* p) {
  const float* const y = mt_tensor_data(p->output);
  float sum = 0, weights = 0;
  int most = 0, i;
  for (i = 1; i < PITCHES; ++i) {
    if (y[i] > y[most]) most = i;
  }
  for (i = most > AROUND ? most - AROUND : 0; i <= most + AROUND && i < PITCHES; ++i) {
    sum += y[i] * (1997.3794084f + 20 * (float)i); /* cents above 10 Hz */
    weights += y[i];
  }
  p->confidence = y[most];
  p->frequency = 10 * exp2f(sum / weights / 1200);
}

static void run(LV2_Handle handle, uint32_t count) {
  Pitch* const p = handle;
  const float* const in = p->ports[IN];
  uint32_t i;
  for (i = 0; i < count; ++i) {
    p->sum += in[i];
    if (++p->summed < p->factor) continue;
    p->samples[p->first] = p->sum / (float)p->factor;
    p->first = (p->first + 1) % FRAME;
    p->sum = 0, p->summed = 0;
    if (++p->fresh < HOP) continue;
    p->fresh = 0;
    describe(p);
    if (mt_prepared_run(p->network, NULL, 0) == MT_OK) read_pitch(p);
  }
  if (p->ports[OUT] != in) memmove(p->ports[OUT], in, count * sizeof *in);
  *p->ports[FREQUENCY] = p->frequency;
  *p->ports[CONFIDENCE] = p->confidence;
}

static const LV2_Descriptor descriptor = {"urn:moontorch:pitch", instantiate, connect_port, activate, run, NULL, cleanup, NULL};

LV2_SYMBOL_EXPORT const LV2_Descriptor* lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
