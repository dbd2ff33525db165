import { describe, expect, it } from 'vitest';
import { inspect } from '../../../../src/image/formats/registry.ts';
import { corpusSamples, generatedSamples, hasCorpus, type Sample } from './samples.ts';

/** Mulberry32: small, seeded, good enough to choose bytes. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const kinds = ['image', 'unsupported', 'unsupported-feature', 'broken'];
const extremes = [0x00, 0x01, 0x7f, 0x80, 0xff];

/** Changes one to eight bytes near the front, where headers are, and cuts some files short. */
function damaged(original: Uint8Array, next: () => number): Uint8Array {
  const reach = Math.min(original.length, next() < 0.5 ? 200 : 4000);
  const isCut = next() < 0.3;
  const file = original.slice(
    0,
    isCut ? Math.floor(next() * reach) : Math.min(original.length, 65536),
  );
  const changes = 1 + Math.floor(next() * 8);
  for (let i = 0; i < changes && file.length > 0; i++) {
    const at = Math.floor(next() * Math.min(reach, file.length));
    const choice = Math.floor(next() * 10);
    file[at] = extremes[choice] ?? (file[at] ?? 0) ^ (1 << Math.floor(next() * 8));
  }
  return file;
}

function expectAnAnswer(file: Uint8Array, what: string): void {
  const result = inspect(file);
  if (!kinds.includes(result.kind)) throw new Error(`${what}: ${JSON.stringify(result)}`);
  if (result.kind !== 'image') return;
  const { image } = result;
  for (const { offset, length } of image.icc) {
    if (offset + length > file.length) throw new Error(`${what}: profile outside the file`);
  }
  if (!(image.width > 0 && image.height > 0 && image.frames > 0)) {
    throw new Error(`${what}: ${JSON.stringify(image)}`);
  }
}

function fuzz(samples: readonly Sample[], rounds: number): void {
  const next = random(20260101);
  for (const { name, bytes } of samples) {
    for (let round = 0; round < rounds; round++) {
      expectAnAnswer(damaged(bytes, next), `${name}, round ${round}`);
    }
  }
}

describe('damaged files', () => {
  it('always get an answer that holds together', { tags: 'slow' }, async () => {
    const samples = await generatedSamples();
    expect(samples.map(({ bytes }) => inspect(bytes).kind)).toEqual(samples.map(() => 'image'));
    fuzz(samples, 4000);
  });

  it('get one at every place where they can be cut', async () => {
    for (const { name, bytes } of await generatedSamples()) {
      for (let length = 0; length < Math.min(bytes.length, 2000); length++) {
        expectAnAnswer(bytes.slice(0, length), `${name} cut to ${length}`);
      }
    }
  });

  it('get one whatever follows a known signature', () => {
    const next = random(7);
    const starts = [
      '\xff\xd8',
      '\x89PNG\r\n\x1a\n',
      'RIFF\xff\0\0\0WEBPVP8X',
      '\0\0\0\x14ftypavif',
    ];
    for (let round = 0; round < 20_000; round++) {
      const file = Uint8Array.from({ length: 64 }, () => Math.floor(next() * 256));
      const start = starts[round % starts.length] ?? '';
      for (let i = 0; i < start.length; i++) file[i] = start.charCodeAt(i);
      expectAnAnswer(file, `round ${round}`);
    }
  });

  it.skipIf(!hasCorpus)('of a corpus always get an answer', { tags: 'slow' }, () => {
    fuzz(corpusSamples(), 300);
  });
});
