/** What the OpenAPI document says of each option. */
export const optionTexts = {
  format:
    'Format of the result. `keep`: that of the source. `auto`: the smallest of the source’s own format, WebP and AVIF, among those that `Accept` allows (without `Accept`, or with `*/*`: all).',
  quality:
    '`auto`: chosen so that the difference is hardly seen. `lossless`: every pixel stays as it is. `1` to `100`: on the scale of the format’s encoder; for PNG, where 100 is lossless, how many colours are kept.',
  width:
    'Most pixels across, of the upright picture. Alone it scales in proportion. A picture is never enlarged.',
  height:
    'Most pixels down, of the upright picture. Alone it scales in proportion. A picture is never enlarged.',
  fit: 'With both `width` and `height`: `inside` fits the whole picture into that box, in proportion; `cover` fills the box and cuts off what stands out, evenly on both sides. `cover` needs both.',
  metadata:
    'What is kept of EXIF, XMP and IPTC. `none`: nothing. `copyright`: who made the picture and who owns it. `all`: everything, corrected where it is no longer true. Colours and orientation are kept in any case.',
  background:
    'Colour behind a transparent picture that becomes a JPEG, as `#rrggbb`; required for that. Write `#` as `%23` in a query.',
} as const;
