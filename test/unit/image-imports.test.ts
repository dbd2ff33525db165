import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Imports inside src/image run one way, those of types too: engine.ts → pipeline → formats → animation, metric → color, metadata,
 * pixels → wasm, container and refusal.ts. Rooms are folders below src/image; each lists the rooms below it.
 */
const below: Readonly<Record<string, readonly string[]>> = {
  refusal: [],
  // everything that takes long is made of them
  slices: [],
  'running-work': ['slices', 'wasm'],
  // names the types that it supports
  'image-error': ['formats'],
  container: ['refusal'],
  wasm: ['container', 'refusal', 'slices'],
  // tables of inks take long
  color: ['container', 'refusal', 'wasm', 'slices'],
  metadata: ['container', 'refusal', 'wasm'],
  // tables of light stand on curves, turns on EXIF's orientations
  pixels: ['color', 'metadata', 'container', 'refusal', 'wasm', 'slices'],
  // compares rows, in light
  metric: ['pixels', 'color', 'container', 'refusal', 'wasm', 'slices'],
  // frames lie on pixels
  animation: ['pixels', 'container', 'refusal', 'slices'],
  formats: [
    'animation',
    'metric',
    'pixels',
    'color',
    'metadata',
    'container',
    'refusal',
    'wasm',
    'slices',
  ],
  pipeline: [
    'formats',
    'animation',
    'metric',
    'pixels',
    'color',
    'metadata',
    'container',
    'refusal',
    'wasm',
    'image-error',
    'slices',
  ],
  engine: [
    'pipeline',
    'formats',
    'pixels',
    'refusal',
    'wasm',
    'image-error',
    'slices',
    'running-work',
  ],
};

/** What every format may know of formats. */
const vocabulary = [
  'format.ts',
  'inspection.ts',
  'coding.ts',
  'animation-format.ts',
  'format-facts.ts',
  'passthrough.ts',
];

const src = join(import.meta.dirname, '../../src');
const files = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !file.endsWith('.d.ts'));
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const edges = [...imports].flatMap(([from, targets]) => targets.map((to) => ({ from, to })));

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']*\.tsx?)'/gm);
  return Array.from(statements, ([, path = '']) => relative(src, join(src, dirname(file), path)));
}

/** Of a file in src/image; undefined: elsewhere. */
function roomOf(file: string): string | undefined {
  return /^image\/([\w-]+)/.exec(file)?.[1];
}

/** The folder of one format that a file lies in. */
function formatOf(file: string): string | undefined {
  return /^image\/formats\/(\w+)\//.exec(file)?.[1];
}

/** A format that codes the coefficients of another one, and so stands on its code. */
const baseOf: Readonly<Record<string, string>> = { jxl: 'jpeg' };

/** Whether a file may know the folder of a format from within. */
function isAtHome(file: string, format: string | undefined): boolean {
  const own = formatOf(file);
  return own === format || (own !== undefined && format !== undefined && baseOf[own] === format);
}

function isDoor(file: string): boolean {
  const format = formatOf(file);
  return file === `image/formats/${format}/${format}.ts`;
}

describe('imports in src/image', () => {
  it('are found', () => {
    expect(edges.filter(({ from }) => roomOf(from)).length).toBeGreaterThan(300);
  });

  it('go down, never up or out', () => {
    const wrong = edges.filter(({ from, to }) => {
      const room = roomOf(from);
      if (!room) return false;
      return room !== roomOf(to) && !below[room]?.includes(roomOf(to) ?? '');
    });
    expect(wrong).toEqual([]);
  });

  it('name no module of a platform: it runs in Workers, Node and browsers', () => {
    const wrong = files.filter(
      (file) =>
        roomOf(file) && /from '(node|cloudflare):/.test(readFileSync(join(src, file), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  it('lead from no format to another but the one whose coefficients it codes', () => {
    const wrong = edges.filter(({ from, to }) => {
      const other = formatOf(to);
      return formatOf(from) && other && !isAtHome(from, other);
    });
    expect(wrong).toEqual([]);
  });

  it('let a format know no more of formats than what one is', () => {
    const wrong = edges.filter(({ from, to }) => {
      const isOfFormats = roomOf(to) === 'formats' && !formatOf(to);
      return formatOf(from) && isOfFormats && !vocabulary.some((file) => to.endsWith(`/${file}`));
    });
    expect(wrong).toEqual([]);
  });

  it('enter the folder of a format by its door, or by its facts where those are listed', () => {
    const wrong = edges.filter(({ from, to }) => {
      const format = formatOf(to);
      if (!format || isAtHome(from, format) || isDoor(to)) return false;
      return !(from === 'image/formats/facts.ts' && to === `image/formats/${format}/facts.ts`);
    });
    expect(wrong).toEqual([]);
  });

  it('reach the doors of formats through the list of all of them, and that through the registry', () => {
    const openers = new Set(
      edges
        .filter(({ from, to }) => isDoor(to) && !isAtHome(from, formatOf(to)))
        .map(({ from }) => from),
    );
    expect([...openers]).toEqual(['image/formats/all.ts']);
    const users = edges.filter(({ to }) => to === 'image/formats/registry.ts');
    const wrong = users.filter(({ from }) => !['pipeline', 'engine'].includes(roomOf(from) ?? ''));
    expect(wrong).toEqual([]);
  });

  it('make no circle, not of types either', () => {
    expect(circles()).toEqual([]);
  });
});

/** Paths that lead back to where they began, one for each file that closes a circle. */
function circles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at !== -1) {
      found.push([...path.slice(at), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) if (roomOf(file)) visit(file, []);
  return found;
}
