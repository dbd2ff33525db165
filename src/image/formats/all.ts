import { avif } from './avif/avif.ts';
import type { ImageType, InputType, OutputType } from './facts.ts';
import type { Format, Reader, Writer } from './format.ts';
import { gif } from './gif/gif.ts';
import type { Inspection } from './inspection.ts';
import { jpeg } from './jpeg/jpeg.ts';
import { jxl } from './jxl/jxl.ts';
import { png } from './png/png.ts';
import { webp } from './webp/webp.ts';

/**
 * All formats, with the abilities that their facts state. A home of the engine that loads the code of each format when
 * it is first needed replaces this module.
 */
export const formats = { jpeg, png, webp, avif, gif, jxl } as const satisfies Record<
  ImageType,
  Format
> &
  Record<InputType, { readonly read: Reader<Inspection> }> &
  Record<OutputType, { readonly write: Writer }>;
