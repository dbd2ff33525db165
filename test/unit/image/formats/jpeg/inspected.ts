import type { JpegInspection } from '../../../../../src/image/formats/jpeg/inspect.ts';
import { inspect } from '../../../../../src/image/formats/registry.ts';

/** What is known of a file before it is decoded; it has to be a JPEG that we take. */
export function jpegInspection(file: Uint8Array): JpegInspection {
  const inspected = inspect(file);
  if (inspected.kind !== 'image') throw new Error(JSON.stringify(inspected));
  const { image } = inspected;
  if (image.type !== 'jpeg') throw new Error(image.type);
  return image;
}
