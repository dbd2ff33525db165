import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import init, { JxlImage } from 'jxl-oxide-wasm';
import sharp from 'sharp';

/** A picture as another decoder of JPEG XL shows it: upright, 8 bits a sample. */
export interface DecodedJxl {
  readonly width: number;
  readonly height: number;
  /** 1 for grey, or 3. */
  readonly channels: number;
  readonly data: Buffer;
  readonly icc: Uint8Array;
}

const modules = join(import.meta.dirname, '../../node_modules');
let ready: Promise<unknown> | undefined;

async function load(): Promise<void> {
  const module = await readFile(join(modules, 'jxl-oxide-wasm/jxl_oxide_wasm_bg.wasm'));
  await init({ module_or_path: module });
}

/**
 * Decodes a file with jxl-oxide.
 * @throws where the file is damaged or not complete
 */
export async function decodedJxl(file: Uint8Array): Promise<DecodedJxl> {
  ready ??= load();
  await ready;
  const image = new JxlImage();
  image.feedBytes(file);
  if (!image.tryInit() || !image.loaded) throw new Error('The file is not complete.');
  const result = image.render();
  const icc = result.iccProfile.slice();
  // frees the result as well
  const png = result.encodeToPng();
  image.free();
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { width, height, channels, data, icc };
}
