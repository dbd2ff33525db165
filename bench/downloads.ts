/**
 * `npm run bench:downloads`: what a page loads that optimizes pictures with the package, compressed by gzip at level 9. Each
 * page is built with Vite and opened in headless Chromium. `--files` prints each file, too. Exit status 1 if a page
 * loads more than the package promises.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { buildSite, pageOf, writeProject } from '../packages/fewerbytes/test/support/package.ts';
import { PackagePage, type Place, serveFolder } from '../packages/fewerbytes/test/support/page.ts';
import { movingBall } from '../test/support/animations/moving-ball.ts';
import { sharedBrowser } from '../test/support/browser.ts';
import { sample, smallPhoto } from '../test/support/pictures.ts';
import { withSegments, xmpSegment } from '../test/support/ultra-hdr.ts';

const rights = `<x:xmpmeta xmlns:x="adobe:ns:meta/">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/">
      <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Someone</rdf:li></rdf:Alt></dc:rights>
    </rdf:Description>
  </rdf:RDF>
</x:xmpmeta>`;

/** Bytes after compression, in thousands. */
const limits = { firstJpeg: 130, allButAvif: 280 };

interface Case {
  readonly name: string;
  readonly place: Place;
  /** Vite's settings, as code. */
  readonly settings: string;
  readonly work: readonly (readonly [file: Uint8Array, options: object])[];
  /** Null: the package promises nothing. */
  readonly limit: number | null;
}

const photo = await smallPhoto();
const firstJpeg = { work: [[photo, {}]], limit: limits.firstJpeg } as const;
const allButAvif = { work: await allPairs(), limit: limits.allButAvif } as const;
const lean = `{ worker: { format: 'es' } }`;
const cases: readonly Case[] = [
  { name: 'first JPEG', place: 'page', settings: '{}', ...firstJpeg },
  { name: 'first JPEG, pool', place: 'pool', settings: lean, ...firstJpeg },
  { name: 'all formats but AVIF', place: 'page', settings: '{}', ...allButAvif },
  { name: 'all formats but AVIF, pool', place: 'pool', settings: lean, ...allButAvif },
  {
    name: 'first JPEG, pool, Vite without settings',
    place: 'pool',
    settings: '{}',
    ...firstJpeg,
    limit: null,
  },
];

const folder = await mkdtemp(join(tmpdir(), 'fewerbytes-downloads-'));
const browser = await sharedBrowser();
try {
  await writeProject(folder, {});
  console.log('| page | requests | JavaScript, KB | WebAssembly, KB | sum, KB | at most |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const one of cases) {
    const sizes = await loaded(one);
    const kilobytes = (pattern: RegExp) => {
      const counted = [...sizes].filter(([path]) => pattern.test(path));
      return counted.reduce((sum, [, bytes]) => sum + bytes, 0) / 1000;
    };
    const [sum, ...kinds] = [/(?:)/, /\.js$/, /\.wasm$/].map(kilobytes) as [number, ...number[]];
    const figures = [...kinds, sum].map((figure) => figure.toFixed(1));
    console.log(`| ${[one.name, sizes.size, ...figures, one.limit ?? ''].join(' | ')} |`);
    if (one.limit !== null && sum > one.limit) process.exitCode = 1;
    if (process.argv.includes('--files'))
      for (const [path, bytes] of sizes) console.log(bytes, path);
  }
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
if (process.exitCode) console.error('A page loads more than the package promises.');

/** Everything that a page loads for its work, compressed, by path. */
async function loaded({ place, settings, work }: Case): Promise<Map<string, number>> {
  const site = pageOf(place === 'page' ? '' : '/pool');
  await writeFile(join(folder, 'vite.config.js'), `export default ${settings};`);
  for (const [path, text] of Object.entries(site)) await writeFile(join(folder, path), text);
  const server = await serveFolder(buildSite(folder));
  const sizes = new Map<string, number>();
  const counted: Promise<void>[] = [];
  const page = await PackagePage.open(server.origin, (opened) => {
    opened.context().on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (/^\/(?:picture|favicon\.ico)$/.test(pathname)) return;
      counted.push(
        response.body().then((body) => {
          sizes.set(pathname, gzipSync(body, { level: 9 }).length);
        }),
      );
    });
  });
  try {
    for (const [file, options] of work) {
      const { refusal } = await page.optimize(file, options, place);
      if (refusal) throw new Error(refusal);
    }
    await Promise.all(counted);
    return sizes;
  } finally {
    await Promise.allSettled(counted);
    await page.close();
    server.close();
  }
}

/** Pictures of each type but AVIF, without and with XMP, as each of these types. */
async function allPairs(): Promise<Case['work']> {
  const small = sharp(await sample('logo.png')).resize(64, 64, { fit: 'inside' });
  const photos = [photo, withSegments(photo, [xmpSegment(rights)])];
  const drawings = [
    await small.clone().png().toBuffer(),
    await small.clone().withXmp(rights).png().toBuffer(),
    await small.clone().webp({ quality: 90 }).toBuffer(),
    await small.clone().withXmp(rights).webp({ lossless: true }).toBuffer(),
  ];
  const types = ['gif', 'png', 'webp'] as const;
  const animations = await Promise.all(types.map(async (type) => (await movingBall(type)).file));
  return [
    ...pairs(photos, ['keep', 'jpeg', 'png', 'webp', 'jxl']),
    ...pairs(drawings, ['keep', 'jpeg', 'png', 'webp']),
    ...pairs(animations, ['keep', ...types]),
  ];
}

function pairs(files: readonly Uint8Array[], formats: readonly string[]): Case['work'] {
  return files.flatMap((file) =>
    formats.map((format) => [file, { format, background: '#ffffff' }] as const),
  );
}
