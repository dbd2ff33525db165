/** A thread that makes photos into other files with jSquash's codecs, one at a time. */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import decode, { init as initDecoder } from '@jsquash/jpeg/decode.js';
import encodeJpeg, { init as initJpeg } from '@jsquash/jpeg/encode.js';
import encodeWebp, { init as initWebp } from '@jsquash/webp/encode.js';
import { standInForImageData } from '../codecs/peers.ts';
import type { Coding } from './converters.ts';

export interface ThreadOrder extends Coding {
  readonly from: string;
  readonly to: string;
}

const require = createRequire(import.meta.url);

standInForImageData();
// In Node, which cannot fetch files, the packages are given their WebAssembly.
await initDecoder(await wasm('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'));
await initJpeg(await wasm('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'));
await initWebp(await wasm('@jsquash/webp/codec/enc/webp_enc_simd.wasm'));

parentPort?.on('message', async (order: ThreadOrder) => {
  await convert(order);
  parentPort?.postMessage('done');
});
parentPort?.postMessage('ready');

async function convert({ from, to, format, quality }: ThreadOrder): Promise<void> {
  const { buffer } = Uint8Array.from(await readFile(from));
  const pixels = await decode(buffer);
  const encode = format === 'jpeg' ? encodeJpeg : encodeWebp;
  const coded = await encode(pixels, { ...(quality !== undefined && { quality }) });
  await writeFile(to, new Uint8Array(coded));
}

async function wasm(path: string) {
  const { buffer } = Uint8Array.from(await readFile(require.resolve(path)));
  return { wasmBinary: buffer };
}
