// Encodes still pictures as AV1 by libaom, in one thread: planes are filled from rows of RGBA, then coded at once.
#include <stdlib.h>
#include <string.h>

#include "aom/aom_encoder.h"
#include "aom/aomcx.h"

#define EXPORT(name) __attribute__((export_name(name)))

// What the planes hold of RGBA: luma alone, or with chroma of half or full resolution, by BT.601 in full range (ITU-T
// H.273 §8.3, matrix 6); the colors themselves (matrix 0); or alpha.
enum content { GREY, HALVED_CHROMA, FULL_CHROMA, COLORS, ALPHA };

static enum content content;
static aom_image_t planes;
static uint8_t *rows;

static int has_chroma(void) { return content != GREY && content != ALPHA; }
static int is_full(void) { return content == FULL_CHROMA || content == COLORS; }

// Returns the place for two rows of RGBA; NULL if there is no room.
EXPORT("begin") uint8_t *begin(uint32_t width, uint32_t height, enum content wanted) {
  content = wanted;
  const aom_img_fmt_t layout = is_full() ? AOM_IMG_FMT_I444 : AOM_IMG_FMT_I420;
  rows = malloc(2 * 4 * (size_t)width);
  if (!rows || !aom_img_alloc(&planes, layout, width, height, 16)) return NULL;
  planes.monochrome = !has_chroma();
  planes.range = AOM_CR_FULL_RANGE;
  return rows;
}

static uint8_t *row_of(int plane, uint32_t y) { return planes.planes[plane] + (size_t)y * planes.stride[plane]; }

static void take_channel(const uint8_t *row, int channel, uint8_t *to) {
  for (uint32_t x = 0; x < planes.d_w; x++) to[x] = row[4 * x + channel];
}

static float luma_of(float red, float green, float blue) { return 0.299f * red + 0.587f * green + 0.114f * blue; }

static void take_luma(const uint8_t *row, uint8_t *to) {
  for (uint32_t x = 0; x < planes.d_w; x++) {
    to[x] = luma_of(row[4 * x], row[4 * x + 1], row[4 * x + 2]) + 0.5f;
  }
}

// Takes the difference of a channel to luma.
// range: that of the difference, relative to the channel's: 2 (1 − K)
// second: the row below for the mean of 2 × 2 pixels; NULL for each pixel alone
static void take_chroma(const uint8_t *row, const uint8_t *second, int channel, float range, uint8_t *to) {
  const int step = second ? 2 : 1;
  const float scale = 1 / (range * step * step);
  const uint32_t width = planes.d_w;
  for (uint32_t x = 0; x < width; x += step) {
    const uint32_t left = 4 * x, right = second && x + 1 < width ? left + 4 : left;
    int sum[3];
    for (int c = 0; c < 3; c++) {
      sum[c] = row[left + c];
      if (second) sum[c] += row[right + c] + second[left + c] + second[right + c];
    }
    const int sample = scale * (sum[channel] - luma_of(sum[0], sum[1], sum[2])) + 128.5f;
    to[x / step] = sample > 255 ? 255 : sample;
  }
}

static void take_row(const uint8_t *row, uint32_t y) {
  if (content == ALPHA) {
    take_channel(row, 3, row_of(0, y));
  } else if (content == COLORS) {
    // Green, blue, red (H.273 §8.3, matrix 0).
    take_channel(row, 1, row_of(0, y));
    take_channel(row, 2, row_of(1, y));
    take_channel(row, 0, row_of(2, y));
  } else {
    take_luma(row, row_of(0, y));
  }
}

static void take_both_chromas(const uint8_t *row, const uint8_t *second, uint32_t y) {
  take_chroma(row, second, 2, 1.772f, row_of(1, y));
  take_chroma(row, second, 0, 1.402f, row_of(2, y));
}

// Takes rows `y` and, if there is one, the next; `y` is even.
EXPORT("take") void take(uint32_t y) {
  const uint8_t *second = rows + 4 * (size_t)planes.d_w;
  const int is_last = y + 1 == planes.d_h;
  take_row(rows, y);
  if (!is_last) take_row(second, y + 1);
  if (content == HALVED_CHROMA) take_both_chromas(rows, is_last ? rows : second, y / 2);
  if (content != FULL_CHROMA) return;
  take_both_chromas(rows, NULL, y);
  if (!is_last) take_both_chromas(second, NULL, y + 1);
}

typedef struct {
  const uint8_t *data;
  uint32_t length;
} result;

static aom_codec_ctx_t encoder;

static int set(int control, int value) { return aom_codec_control(&encoder, control, value) == AOM_CODEC_OK; }

// Encodes the planes.
// quantizer: 1–63; 0 for no loss
// speed: libaom's, 0–9
// searches: whether to look for copies of blocks, as there are in text
// Returns NULL if there was no room.
EXPORT("encode") const result *encode(int quantizer, int speed, int searches) {
  static result coded;
  aom_codec_iface_t *av1 = aom_codec_av1_cx();
  aom_codec_enc_cfg_t config;
  if (aom_codec_enc_config_default(av1, &config, AOM_USAGE_ALL_INTRA) != AOM_CODEC_OK) return NULL;
  config.g_w = planes.d_w;
  config.g_h = planes.d_h;
  config.g_profile = is_full() ? 1 : 0;
  config.g_threads = 1;
  config.g_limit = 1;
  config.g_lag_in_frames = 0;
  config.kf_mode = AOM_KF_DISABLED;
  config.rc_end_usage = AOM_Q;
  config.rc_min_quantizer = 0;
  config.rc_max_quantizer = 63;
  config.monochrome = !has_chroma();
  if (aom_codec_enc_init(&encoder, av1, &config, 0) != AOM_CODEC_OK) return NULL;
  const int is_colors = content == COLORS;
  const int is_seen = quantizer > 0 && content != ALPHA;
  const int is_set =
      // First, because it sets others: matrices, CDEF, sharpness, deltas of quantizers, and how text is recognized.
      set(AOME_SET_TUNING, is_seen ? AOM_TUNE_IQ : AOM_TUNE_PSNR) && set(AOME_SET_CPUUSED, speed) &&
      // The sharpness of that tuning, 7, takes 6 % more bytes of smooth photos at equal SSIMULACRA2, and up to a tenth
      // of drawings.
      set(AOME_SET_SHARPNESS, 0) &&
      (quantizer > 0 ? set(AOME_SET_CQ_LEVEL, quantizer) : set(AV1E_SET_LOSSLESS, 1)) &&
      // Only for motion between pictures; takes 2.2 bytes per pixel.
      set(AV1E_SET_ENABLE_TPL_MODEL, 0) && set(AV1E_SET_ENABLE_INTRABC, searches) &&
      set(AV1E_SET_COLOR_RANGE, AOM_CR_FULL_RANGE) &&
      set(AV1E_SET_COLOR_PRIMARIES, content != ALPHA ? AOM_CICP_CP_BT_709 : AOM_CICP_CP_UNSPECIFIED) &&
      set(AV1E_SET_TRANSFER_CHARACTERISTICS, content != ALPHA ? AOM_CICP_TC_SRGB : AOM_CICP_TC_UNSPECIFIED) &&
      set(AV1E_SET_MATRIX_COEFFICIENTS,
          is_colors ? AOM_CICP_MC_IDENTITY : content != ALPHA ? AOM_CICP_MC_BT_601 : AOM_CICP_MC_UNSPECIFIED);
  if (!is_set || aom_codec_encode(&encoder, &planes, 0, 1, 0) != AOM_CODEC_OK) return NULL;
  aom_codec_iter_t next = NULL;
  const aom_codec_cx_pkt_t *packet = aom_codec_get_cx_data(&encoder, &next);
  if (!packet) {
    if (aom_codec_encode(&encoder, NULL, 0, 1, 0) != AOM_CODEC_OK) return NULL;
    next = NULL;
    packet = aom_codec_get_cx_data(&encoder, &next);
  }
  if (!packet || packet->kind != AOM_CODEC_CX_FRAME_PKT) return NULL;
  coded = (result){ .data = packet->data.frame.buf, .length = packet->data.frame.sz };
  return &coded;
}
