import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../../scripts/local/browsers.ts';
import { movingBall } from '../../../test/support/animations/moving-ball.ts';
import { isFull } from '../../../test/support/full.ts';
import { displayP3Profile, withPngProfile } from '../../../test/support/icc.ts';
import { sample } from '../../../test/support/pictures.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { ultraHdr, withSegments, xmpSegment } from '../../../test/support/ultra-hdr.ts';
import { corpusSamples, hasCorpus, type Sample } from '../../../test/unit/image/formats/samples.ts';
import { systemNode } from './support/command.ts';
import { newFolder } from './support/folders.ts';
import { type Home, NodeHome, type Outcome, serviceHome } from './support/homes.ts';
import { buildSite, pageOf, writeProject } from './support/package.ts';
import { PackagePage, type StaticServer, serveFolder } from './support/page.ts';

// The same picture and options give the same bytes wherever the engine runs: in workerd, in Node and in Chromium.

const optionSets: readonly object[] = [
  {},
  { format: 'auto', metadata: 'all' },
  { format: 'webp', target: 'medium', width: 640 },
  { format: 'jpeg', quality: 60, background: '#336699', animation: 'first' },
  { format: 'png', maxBytes: 200_000, animation: 'first' },
  { format: 'avif', quality: 50, width: 480, hdr: 'drop', animation: 'first' },
];

/** Only what is a JPEG becomes one of these. */
const jpegOnly = { format: 'jxl' };

const countOfCorpus = 60;

/** Homes by their names. */
const homes: Record<string, Home> = {};
const nodes: NodeHome[] = [];
const endings: (() => Promise<void>)[] = [];
let service: TestService;
let server: StaticServer | undefined;
let page: PackagePage | undefined;

beforeAll(async () => {
  service = await startTestService({
    FREE_FILES_PER_MONTH: '10000',
    UNCHARGED_CPU_SECONDS_PER_DAY: '100000',
  });
  homes.worker = serviceHome(service);
  for (const path of new Set([process.execPath, systemNode])) {
    const node = new NodeHome(path);
    nodes.push(node);
    homes[path] = node.optimize;
  }
  if (!findChromium()) return;
  const folder = await newFolder((work) => endings.push(work));
  await writeProject(folder, pageOf('', '/pool'));
  server = await serveFolder(buildSite(folder));
  page = await PackagePage.open(server.origin);
  homes.page = (file, options) => (page as PackagePage).optimize(file, options);
});

afterAll(async () => {
  for (const node of nodes) node.close();
  await page?.close();
  server?.close();
  for (const end of endings) await end();
  await service?.close();
});

/** Pictures and options that were compared, and those of them that were refused. */
const compared = { all: 0, refused: 0 };

/** What differs for a picture, in words. */
async function differences({ name, bytes }: Sample, options: object): Promise<string[]> {
  const outcomes = await Promise.all(
    Object.entries(homes).map(async ([home, optimize]) => {
      const outcome = await optimize(bytes, options);
      return [home, outcome] as const;
    }),
  );
  const [, first] = outcomes[0] ?? [];
  compared.all += 1;
  if (first?.sha256 === undefined) compared.refused += 1;
  return outcomes
    .filter(([, outcome]) => textOf(outcome) !== textOf(first))
    .map(([home, outcome]) => `${name} ${JSON.stringify(options)}, ${home}: ${textOf(outcome)}`);
}

function textOf(outcome: Outcome | undefined): string {
  return outcome?.sha256 ?? outcome?.refusal ?? '';
}

/** Equal refusals prove little. */
function expectFewRefusals(): void {
  expect(compared.all).toBeGreaterThan(0);
  expect(compared.refused / compared.all).toBeLessThanOrEqual(1 / 4);
}

it('the homes are the Worker and a Node; in full runs two Nodes and Chromium', {
  tags: 'slow',
}, () => {
  expect(Object.keys(homes)).toEqual(expect.arrayContaining(['worker', process.execPath]));
  if (isFull) {
    expect(new Set(Object.keys(homes))).toEqual(
      new Set(['worker', process.execPath, systemNode, 'page']),
    );
    expect(systemNode).not.toBe(process.execPath);
  }
});

describe('every home makes the same', () => {
  // In short runs each picture meets one set of options, and all sets meet pictures.
  const steps = isFull ? Array.from({ length: optionSets.length + 1 }, (_, i) => i) : [0, 3];
  it.each(steps)(
    'of generated pictures, with options from place %i',
    { tags: 'slow', timeout: 240_000 },
    async (step) => {
      const found: string[] = [];
      for (const [at, picture] of (await generated()).entries()) {
        const all = picture.name.endsWith('.jpg') ? [...optionSets, jpegOnly] : optionSets;
        const options = all[(at + step) % all.length] ?? {};
        found.push(...(await differences(picture, options)));
      }
      expect(found).toEqual([]);
      expectFewRefusals();
    },
  );

  it.skipIf(!hasCorpus || !isFull)(
    `of ${countOfCorpus} pictures of the corpus`,
    { tags: 'slow', timeout: 3_600_000 },
    async () => {
      const all = corpusSamples();
      const found: string[] = [];
      for (let i = 0; i < countOfCorpus; i += 1) {
        const picture = all[Math.floor((i * all.length) / countOfCorpus)];
        if (!picture) continue;
        for (const options of optionSets) found.push(...(await differences(picture, options)));
      }
      expect(found).toEqual([]);
      expectFewRefusals();
    },
  );
});

/** A small picture of every type and kind. */
async function generated(): Promise<Sample[]> {
  const note =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>';
  const photo = sharp(await sample('photo.jpg')).resize(160, 120, { fit: 'cover' });
  const logo = sharp(await sample('logo.png')).resize(120, 90, { fit: 'inside' });
  const jpeg = await photo.clone().jpeg({ quality: 92 }).toBuffer();
  const map = await photo.clone().resize(80, 60).greyscale().jpeg().toBuffer();
  const png = await logo.clone().png().toBuffer();
  const stills: Record<string, Uint8Array> = {
    'plain.jpg': jpeg,
    'progressive.jpg': await photo.clone().jpeg({ progressive: true, quality: 85 }).toBuffer(),
    'xmp.jpg': withSegments(jpeg, [xmpSegment(note)]),
    'gain-map.jpg': ultraHdr({ picture: jpeg, map }),
    'plain.png': png,
    'profile.png': withPngProfile(png, displayP3Profile()),
    'palette.png': await logo.clone().png({ palette: true }).toBuffer(),
    'lossy.webp': await photo.clone().webp({ quality: 90 }).toBuffer(),
    'lossless.webp': await logo.clone().withXmp(note).webp({ lossless: true }).toBuffer(),
    'alpha.avif': await logo.clone().avif({ effort: 0 }).toBuffer(),
    'deep.avif': await photo.clone().avif({ effort: 0, bitdepth: 10 }).toBuffer(),
    'still.gif': await logo.clone().gif().toBuffer(),
    'no picture': Uint8Array.from([1, 2, 3]),
  };
  const animations = (['gif', 'png', 'webp'] as const).map(async (type) => {
    const { file } = await movingBall(type);
    return { name: `animation.${type}`, bytes: file };
  });
  const samples = Object.entries(stills).map(([name, bytes]) => ({ name, bytes }));
  return [...samples, ...(await Promise.all(animations))];
}
