import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import init, { JxlImage } from 'jxl-oxide-wasm';
import sharp from 'sharp';

/** A picture as shown by another JPEG XL decoder: upright, with 8-bit samples. */
export interface DecodedJxl {
  readonly width: number;
  readonly height: number;
  /** 1 for gray, or 3. */
  readonly channels: number;
  readonly data: Buffer;
}

const modules = join(import.meta.dirname, '../../node_modules');
let ready: Promise<unknown> | undefined;

async function load(): Promise<void> {
  const module = await readFile(join(modules, 'jxl-oxide-wasm/jxl_oxide_wasm_bg.wasm'));
  await init({ module_or_path: module });
}

/**
 * Decodes a file with jxl-oxide.
 * @throws if the file is damaged or incomplete
 */
export async function decodedJxl(file: Uint8Array): Promise<DecodedJxl> {
  ready ??= load();
  await ready;
  const image = new JxlImage();
  image.feedBytes(file);
  if (!image.tryInit() || !image.loaded) throw new Error('The file is not complete.');
  const result = image.render();
  // Also frees the result.
  const png = result.encodeToPng();
  image.free();
  const isGrey = (await sharp(png).metadata()).channels === 1;
  const shown = sharp(png).toColourspace(isGrey ? 'b-w' : 'srgb');
  const { data, info } = await shown.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { width, height, channels, data };
}
