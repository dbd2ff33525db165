import type { InputType } from '../../../src/image/formats/facts.ts';
import { displayP3Profile } from '../icc.ts';
import { avifOfBoxes, avifOfItems, avifOfNesting, avifOfProperties } from './avif.ts';
import { type CostlyBlocks, costlyBlocks } from './deflate.ts';
import { gifOfClears, gifOfComments, gifOfOutsiders, gifOfRest, gifOfShortRuns } from './gif.ts';
import {
  jpegOfRefinements,
  jpegOfRestarts,
  jpegOfScans,
  jpegOfSegments,
  jpegOfStuffing,
} from './jpeg.ts';
import {
  apngOfBlocks,
  dribblingPng,
  pngOfBlocks,
  pngOfChunks,
  pngOfProfile,
  pngOfText,
  pngOfTinyChunks,
} from './png.ts';
import {
  animatedWebpOfGroups,
  webpOfChunks,
  webpOfGroups,
  webpOfTinyFrames,
  webpOfTokens,
  webpOfTransforms,
} from './webp.ts';

/** A file whose bytes are chosen so that reading it takes as long as possible. */
export interface AdversarialFile {
  readonly type: InputType;
  /** For example, `empty dynamic blocks in IDAT`. */
  readonly name: string;
  /** @param bytes approximate length; some files reach their limit before */
  make(bytes: number): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
}

type Trick = Omit<AdversarialFile, 'type'>;

/** The files up to a length beyond which they would be refused by their headers. */
function atMost(maxBytes: number, tricks: readonly Trick[]): readonly Trick[] {
  return tricks.map(({ name, make }) => ({
    name,
    make: (bytes) => make(Math.min(bytes, maxBytes)),
  }));
}

const everyBlocks = Object.keys(costlyBlocks) as CostlyBlocks[];
const dynamic = 'empty dynamic blocks';
const frames = 10;
/** Nearly the longest stream that is read as a profile. */
const maxProfile = 4_190_000;

const pngs: readonly Trick[] = [
  ...everyBlocks.flatMap((blocks) => [
    { name: `${blocks} in IDAT`, make: (bytes: number) => pngOfBlocks(blocks, bytes) },
    {
      name: `${blocks} in fdAT`,
      make: (bytes: number) => apngOfBlocks(blocks, frames, Math.floor(bytes / frames)),
    },
    {
      name: `${blocks} in iCCP`,
      make: (bytes: number) =>
        pngOfProfile(blocks, displayP3Profile(), Math.min(bytes, maxProfile)),
    },
    { name: `${blocks} in zTXt`, make: (bytes: number) => pngOfText('zTXt', blocks, bytes) },
  ]),
  { name: `${dynamic} in iTXt`, make: (bytes) => pngOfText('iTXt', dynamic, bytes) },
  {
    name: `${dynamic} in the text of XMP`,
    make: (bytes) => pngOfText('iTXt', dynamic, bytes, { keyword: 'XML:com.adobe.xmp' }),
  },
  {
    name: `${dynamic} before a large picture`,
    make: (bytes) => pngOfBlocks(dynamic, bytes, { width: 1000, height: 1000 }),
  },
  {
    name: 'a block for each byte',
    make: (bytes) => dribblingPng({ width: 64, height: Math.floor(bytes / 3000) }),
  },
  { name: 'too many chunks', make: (bytes) => pngOfChunks('prVt', bytes) },
  ...atMost(1_560_000, [
    { name: 'IDAT chunks without data', make: (bytes) => pngOfChunks('IDAT', bytes) },
    { name: 'private chunks without data', make: (bytes) => pngOfChunks('prVt', bytes) },
    { name: 'IDAT chunks of one byte', make: pngOfTinyChunks },
  ]),
];

const gifs: readonly Trick[] = [
  { name: 'clear codes', make: (bytes) => gifOfClears(bytes, 255) },
  { name: 'clear codes in sub-blocks of one byte', make: (bytes) => gifOfClears(bytes / 2, 1) },
  {
    name: 'a clear code before each index',
    make: (bytes) => gifOfShortRuns(1000, Math.floor(bytes / 2300)),
  },
  { name: 'unused sub-blocks of one byte', make: (bytes) => gifOfRest(bytes / 2) },
  { name: 'too many blocks', make: (bytes) => gifOfComments(bytes, 'many') },
  ...atMost(170_000, [{ name: 'frames outside the canvas', make: gifOfOutsiders }]),
  ...atMost(590_000, [{ name: 'comments', make: (bytes) => gifOfComments(bytes, 'many') }]),
  { name: 'a comment in sub-blocks of one byte', make: (bytes) => gifOfComments(bytes, 'long') },
];

/** Bytes per group of codes in the stream of `streamOfGroups`. */
const groupBytes = { 'codes of one symbol': 2.5, 'codes of all symbols': 30 } as const;
const maxGroups = 65_536;
/** Groups that a picture of 512 × 512 pixels may have. */
const mostGroups = { 'codes of one symbol': 5000, 'codes of all symbols': 44 } as const;

const webps: readonly Trick[] = (['codes of one symbol', 'codes of all symbols'] as const).flatMap(
  (kind) => {
    const groupsIn = (bytes: number) => Math.min(maxGroups, Math.floor(bytes / groupBytes[kind]));
    /** As many tiles of 4 × 4 pixels as there are groups. */
    const sideFor = (groups: number) => 4 * Math.ceil(Math.sqrt(groups));
    return [
      {
        name: `groups of ${kind}, each in use`,
        make: (bytes: number) => {
          const groups = groupsIn(bytes);
          return webpOfGroups(sideFor(groups), kind, groups, 'all');
        },
      },
      {
        name: `as many groups of ${kind} as are read`,
        make: () => webpOfGroups(512, kind, mostGroups[kind], 'all'),
      },
      {
        name: `groups of ${kind}, unused`,
        make: (bytes: number) => webpOfGroups(16, kind, groupsIn(bytes), 'two'),
      },
      {
        name: `frames with groups of ${kind}`,
        make: (bytes: number) => {
          const groups = Math.min(256, groupsIn(bytes));
          return animatedWebpOfGroups(
            64,
            kind,
            groups,
            Math.ceil(bytes / (groups * groupBytes[kind])),
          );
        },
      },
    ];
  },
);

const otherWebps: readonly Trick[] = [
  { name: 'frames of one pixel', make: (bytes) => webpOfTinyFrames(Math.floor(bytes / 80)) },
  {
    name: 'all transforms',
    make: (bytes) => webpOfTransforms(Math.min(4000, Math.floor(Math.sqrt(bytes)))),
  },
  { name: 'too many chunks', make: webpOfChunks },
  ...atMost(790_000, [{ name: 'chunks without data', make: webpOfChunks }]),
  {
    name: 'random tokens',
    make: (bytes) => webpOfTokens(1000, Math.min(bytes, 2 ** 20), 'random'),
  },
  { name: 'tokens of zero bits', make: (bytes) => webpOfTokens(1000, Math.min(bytes, 2 ** 20), 0) },
  {
    name: 'tokens of one bits',
    make: (bytes) => webpOfTokens(1000, Math.min(bytes, 2 ** 20), 255),
  },
];

const jpegs: readonly Trick[] = [
  { name: 'empty scans', make: (bytes) => jpegOfScans(bytes > 2 ** 20 ? 2048 : 64, 450) },
  { name: 'many empty scans of a small picture', make: () => jpegOfScans(64, 500) },
  {
    name: 'scans that refine nothing',
    make: (bytes) => jpegOfRefinements(bytes > 2 ** 20 ? 512 : 64, 450),
  },
  {
    name: 'restart markers',
    make: (bytes) => jpegOfRestarts(8 * Math.floor(Math.sqrt(bytes / 4))),
  },
  { name: 'too many segments', make: (bytes) => jpegOfSegments('applications', bytes) },
  ...atMost(39_900, [
    { name: 'application segments', make: (bytes) => jpegOfSegments('applications', bytes) },
  ]),
  {
    name: 'large application segments',
    make: (bytes) => jpegOfSegments('large applications', bytes),
  },
  ...atMost(210_000, [{ name: 'code tables', make: (bytes) => jpegOfSegments('tables', bytes) }]),
  ...atMost(680_000, [
    { name: 'quantization tables', make: (bytes) => jpegOfSegments('quantizers', bytes) },
  ]),
  { name: 'stuffed bytes', make: (bytes) => jpegOfStuffing([0xff, 0], bytes) },
  { name: 'fill bytes', make: (bytes) => jpegOfStuffing([0xff, 0xff, 0xff, 0], bytes) },
  { name: 'spare restart markers', make: (bytes) => jpegOfStuffing([0xff, 0xd0], bytes) },
];

const avifs: readonly Trick[] = [
  { name: 'too many boxes', make: avifOfBoxes },
  ...atMost(520_000, [
    { name: 'boxes without content', make: avifOfBoxes },
    { name: 'nested boxes', make: avifOfNesting },
    { name: 'properties without content', make: avifOfProperties },
  ]),
  { name: 'items', make: (bytes) => avifOfItems(Math.min(5000, Math.floor(bytes / 60))) },
];

/** Files for every format that is read. */
export const adversarialFiles: readonly AdversarialFile[] = [
  ...pngs.map((file) => ({ type: 'png' as const, ...file })),
  ...gifs.map((file) => ({ type: 'gif' as const, ...file })),
  ...[...webps, ...otherWebps].map((file) => ({ type: 'webp' as const, ...file })),
  ...jpegs.map((file) => ({ type: 'jpeg' as const, ...file })),
  ...avifs.map((file) => ({ type: 'avif' as const, ...file })),
];
