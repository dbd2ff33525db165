import type { OptimizeOptions } from '../../src/image/options.ts';
import { likeness } from '../likeness.ts';
import { onGrey } from '../on-grey.ts';
import { answer, layoutOf } from './answer.ts';
import { arenaPeak } from './arena-peak.ts';
import { bare } from './bare.ts';
import { cpuTime } from './cpu-time.ts';
import { byJsquashPng } from './jsquash-png.ts';
import { Oxipng } from './oxipng.ts';
import type { Picture } from './pictures.ts';
import { plainDecoded } from './plain-decoder.ts';
import { byPngquant } from './pngquant.ts';
import type { Versions } from './side-by-side.ts';

/** One coding, undefined where it did not come about. */
export interface Coding {
  /** Of the PNG without metadata and profile. */
  readonly bytes: number | undefined;
  /** SSIMULACRA2 on mid grey. */
  readonly score?: number | undefined;
  /** CPU time in milliseconds. */
  readonly time?: number | undefined;
  /** Of WebAssembly, in bytes. */
  readonly memory?: number | undefined;
}

export interface Row {
  readonly fileBytes: number;
  readonly auto: Coding;
  /** How the automatic answer holds its picture; `=` when nothing that is seen has changed. */
  readonly made: string;
  /** pngquant, then oxipng. */
  readonly pngquant: Coding;
  /** Decoded and encoded by @jsquash/png, then oxipng. */
  readonly jsquash: Coding;
  readonly lossless: Coding;
  /** Whether every sample is the same, colours under full transparency included. */
  readonly isSame: boolean | undefined;
  readonly oxipng: Coding;
}

/** Timed with, so that its code is compiled and its memory there, as in a service. */
const kept = new Oxipng();

/** @throws Error for a PNG that the plain decoder or oxipng cannot read */
export function measured(
  { file }: Picture,
  quality: OptimizeOptions['quality'],
): Row & { readonly versions: Versions } {
  const original = plainDecoded(file);
  const shown = onGrey(original);
  const judged = (coded: Uint8Array | undefined) => {
    if (!coded) return undefined;
    const onGround = onGrey(plainDecoded(coded));
    const looksSame = equal(shown.data, onGround.data);
    const score = looksSame ? 100 : likeness(shown, onGround);
    return { file: coded, shown: onGround, looksSame, score };
  };

  const input = bare(file);
  const auto = judged(answer(file, quality));
  const exact = answer(file, 'lossless');
  const palette = byPngquant(input);
  const theirs = judged(palette && new Oxipng().optimise(palette));
  const single = new Oxipng();
  const optimised = single.optimise(input);

  return {
    fileBytes: file.length,
    auto: {
      bytes: auto && bare(auto.file).length,
      score: auto?.score,
      time: auto && cpuTime(() => answer(file, quality)),
      memory: auto && arenaPeak(() => answer(file, quality)),
    },
    made: auto ? `${layoutOf(auto.file)}${auto.looksSame ? ' =' : ''}` : 'not coded',
    pngquant: { bytes: theirs?.file.length, score: theirs?.score },
    jsquash: {
      bytes: kept.optimise(byJsquashPng(input)).length,
      time: cpuTime(() => kept.optimise(byJsquashPng(input))),
    },
    lossless: {
      bytes: exact && bare(exact).length,
      time: exact && cpuTime(() => answer(file, 'lossless')),
    },
    isSame: exact && equal(original.data, plainDecoded(exact).data),
    oxipng: {
      bytes: optimised.length,
      time: cpuTime(() => kept.optimise(input)),
      memory: single.bytes,
    },
    versions: { original: { file, shown }, ours: auto, theirs },
  };
}

function equal(a: ArrayBufferView, b: ArrayBufferView): boolean {
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
