import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { decode, encode, initSync } from '@jsquash/png/codec/pkg/squoosh_png.js';

const path = createRequire(import.meta.url).resolve('@jsquash/png/codec/pkg/squoosh_png_bg.wasm');
initSync(await readFile(path));

/** @jsquash/png as published, decoder and encoder: RGBA of 8 bits in between. */
export function byJsquashPng(file: Uint8Array): Uint8Array {
  const { data, width, height } = decode(file);
  return encode(new Uint8Array(data.buffer, data.byteOffset, data.length), width, height, 8);
}
