import { strToU8, zipSync } from 'fflate';
import { beforeAll, expect, it } from 'vitest';
import { smallPhoto } from '../../../../test/support/pictures.ts';
import { readSetAnswer } from '../../src/client/set-answer.ts';
import { optimizeSet } from '../../src/engine/index.ts';

const set = { widths: [40, 90], formats: ['webp', 'keep'], ratio: '3:2' } as const;

let photo: Uint8Array<ArrayBuffer>;
let whole: { readonly files: Record<string, Uint8Array>; readonly manifest: Manifest };

interface Manifest {
  results: { file: string; type: string; width: number; height: number; bytes: number }[];
  failed: object[];
  placeholder: unknown;
}

beforeAll(async () => {
  photo = await smallPhoto();
  const { results } = await optimizeSet(photo, set);
  const files: Record<string, Uint8Array> = {};
  const listed = results.map(({ bytes, boxWidth, extension, mediaType, width, height, ...one }) => {
    const file = `image-${boxWidth}.${extension}`;
    files[file] = bytes;
    const { score, quality, optimized } = one;
    const facts = { width, height, bytes: bytes.length, score, quality, optimized };
    return { file, type: mediaType, ...facts };
  });
  whole = { files, manifest: { results: listed, failed: [], placeholder: null } };
});

/** Reads a response whose archive has been changed. */
async function read(
  change: (files: Record<string, Uint8Array>, manifest: Manifest) => void = () => {},
  headers: Record<string, string> = {},
) {
  const { files, manifest } = structuredClone(whole);
  change(files, manifest);
  return readArchive(zipped(files, manifest), headers);
}

function zipped(files: Record<string, Uint8Array>, manifest: Manifest, level: 0 | 6 = 0) {
  const all = { ...files, 'manifest.json': strToU8(JSON.stringify(manifest)) };
  return Uint8Array.from(zipSync(all, { level }));
}

function readArchive(archive: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const usual = { 'Content-Type': 'application/zip', 'Image-Input-Type': 'image/jpeg' };
  const all = new Headers({ ...usual, 'Quota-Remaining': '7', ...headers });
  return readSetAnswer(archive, all, { bytes: photo, set });
}

it('the archive of a set is read with all of its results', async () => {
  const found = await read();
  expect(found).toMatchObject({
    kind: 'answer',
    answer: { inputType: 'image/jpeg', width: 480, height: 320, failed: [], quotaRemaining: 7 },
  });
  const results = found.kind === 'answer' ? found.answer.results : [];
  expect(results.map(({ boxWidth, type, height }) => [boxWidth, type, height])).toEqual([
    [40, 'image/webp', 27],
    [40, 'image/jpeg', 27],
    [90, 'image/webp', 60],
    [90, 'image/jpeg', 60],
  ]);
  expect(results.map(({ bytes }) => bytes)).toEqual(Object.values(whole.files));
});

it('results that could not be made are told with their reasons', async () => {
  const found = await read((files, manifest) => {
    const [first] = manifest.results.splice(0, 1);
    delete files[`${first?.file}`];
    const why = { code: 'max_bytes_unreachable', detail: 'Too few.' };
    manifest.failed.push({ width: 40, type: 'image/webp', ...why });
  });
  expect(found).toMatchObject({
    kind: 'answer',
    answer: {
      failed: [
        {
          ...{ width: 40, type: 'image/webp' },
          error: { code: 'max_bytes_unreachable', message: 'Too few.' },
        },
      ],
    },
  });
});

const first = 'image-40.webp';

it.each<[string, (files: Record<string, Uint8Array>, manifest: Manifest) => void]>([
  ['lacks a file', (files) => delete files[first]],
  ['lacks a result', (_, { results }) => results.pop()],
  [
    'has a file that is cut',
    (files) => {
      files[first] = (files[first] as Uint8Array).slice(0, -9);
    },
  ],
  [
    'has a file that is damaged',
    (files) => {
      files[first] = (files[first] as Uint8Array).fill(7, 12, 30);
    },
  ],
  [
    'has another image in the place of one',
    (files, { results }) => {
      const other = files['image-90.webp'] as Uint8Array;
      files[first] = other;
      Object.assign(results[0] ?? {}, { bytes: other.length });
    },
  ],
  [
    'has a result that nobody asked for',
    (files, { results }) => {
      files['image-50.webp'] = files[first] as Uint8Array;
      results.push({ ...(results[0] as Manifest['results'][0]), file: 'image-50.webp' });
    },
  ],
  ['has a result twice', (_, { results }) => results.push(results[0] as Manifest['results'][0])],
  ['has a manifest without results', (_, manifest) => Object.assign(manifest, { results: 7 })],
  [
    'has a text that would fill the screen',
    (_, { failed }) => failed.push({ width: 1, type: '', code: '', detail: 'long '.repeat(1000) }),
  ],
  ['has a manifest with odd results', (_, manifest) => Object.assign(manifest, { results: [{}] })],
])('an archive that %s is not used', async (_, change) => {
  const found = await read(change);
  expect(found.kind).toBe('damaged');
});

it('an archive that has broken off is not used, wherever', async () => {
  const bytes = zipped(whole.files, whole.manifest);
  for (const length of [0, 1, 1000, bytes.length / 2, bytes.length - 1]) {
    expect((await readArchive(bytes.slice(0, length))).kind).toBe('damaged');
  }
});

it('an archive with compressed files is none of a service, and might become very large', async () => {
  const found = await readArchive(zipped(whole.files, whole.manifest, 6));
  expect(found.kind).toBe('damaged');
});

it('what is not the answer of a service to this image fails at once', async () => {
  for (const headers of [{ 'Content-Type': 'image/jpeg' }, { 'Image-Input-Type': 'image/png' }]) {
    expect((await read(() => {}, headers)).kind).toBe('failed');
  }
});
