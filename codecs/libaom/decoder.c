// Decodes AV1 pictures by libaom, in one thread, to planes at the depth of their samples.
#include <stdlib.h>

#include "aom/aom_decoder.h"
#include "aom/aomdx.h"

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("allocate") void *allocate(size_t bytes) { return malloc(bytes); }
EXPORT("free") void release(void *at) { free(at); }

// What src/image/formats/avif reads as 32-bit numbers in this order.
typedef struct {
  // With more than 8 bits, a sample takes two bytes, the lower first.
  uint32_t width, height, bit_depth;
  // In a gray picture, those of chroma have no meaning.
  const uint8_t *luma, *blue, *red;
  // Bytes from one row to the next.
  uint32_t luma_stride, chroma_stride;
} frame;

static aom_codec_ctx_t decoder;
static frame shown;

// Returns the place for the data of a picture; NULL if there is no room. It frees the last picture first, so that the
// memory of both is in one piece.
EXPORT("place") uint8_t *place(size_t length) {
  if (decoder.iface) aom_codec_destroy(&decoder);
  return malloc(length);
}

static int open_decoder(int operating_point, int all_layers) {
  const aom_codec_dec_cfg_t plain = { .threads = 1, .allow_lowbitdepth = 1 };
  return aom_codec_dec_init(&decoder, aom_codec_av1_dx(), &plain, 0) == AOM_CODEC_OK &&
         aom_codec_control(&decoder, AV1D_SET_OPERATING_POINT, operating_point) == AOM_CODEC_OK &&
         aom_codec_control(&decoder, AV1D_SET_OUTPUT_ALL_LAYERS, all_layers) == AOM_CODEC_OK;
}

// Decodes a picture, which is valid until the next one is placed.
// layer: the spatial layer to show (`lsel`); −1 for the highest of the operating point (`a1op`)
// Returns NULL if the data is damaged, has no such layer, or there was no room.
EXPORT("decode") const frame *decode(const uint8_t *data, size_t length, int operating_point, int layer) {
  if (!open_decoder(operating_point, layer >= 0)) return NULL;
  if (aom_codec_decode(&decoder, data, length, NULL) != AOM_CODEC_OK) return NULL;
  const aom_image_t *found = NULL;
  aom_codec_iter_t next = NULL;
  for (const aom_image_t *one; (one = aom_codec_get_frame(&decoder, &next));) {
    if (layer < 0 || one->spatial_id == layer) found = one;
  }
  if (!found) return NULL;
  shown = (frame){
    .width = found->d_w,
    .height = found->d_h,
    .bit_depth = found->bit_depth,
    .luma = found->planes[AOM_PLANE_Y],
    .blue = found->planes[AOM_PLANE_U],
    .red = found->planes[AOM_PLANE_V],
    .luma_stride = found->stride[AOM_PLANE_Y],
    .chroma_stride = found->stride[AOM_PLANE_U],
  };
  return &shown;
}
