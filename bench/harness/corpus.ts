import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { type Kind, kindOf, type Look } from './picture-kind.ts';
import { sampleCorpus } from './sample-corpus.ts';
import type { Corpus, CorpusFile } from './section.ts';

interface Sorted extends Look {
  readonly file: CorpusFile;
}

/**
 * The pictures of a folder and of those in it, sorted by what they are; samples stand in for what is
 * not there. Camera photos come from large to small, the others by their paths.
 */
export async function loadCorpus(folder: string | undefined): Promise<Corpus> {
  if (folder === undefined) return sampleCorpus();
  const sorted = await sortedFiles(folder);
  const of = (kind: Kind) => sorted.filter((picture) => picture.kind === kind);
  const found = {
    photos: files(of('photos').sort((a, b) => b.pixels - a.pixels || order(a, b))),
    exactPhotos: files(of('exactPhotos')),
    graphics: files(of('graphics')),
    translucent: files(of('translucent')),
  };
  const missing = kinds.filter((kind) => found[kind].length === 0);
  if (missing.length === 0) return { name: basename(folder), ...found };
  const samples = await sampleCorpus();
  const standIns = Object.fromEntries(missing.map((kind) => [kind, samples[kind]]));
  const name = `${basename(folder)} (samples stand in for ${missing.join(', ')})`;
  return { name, ...found, ...standIns };
}

const kinds = ['photos', 'exactPhotos', 'graphics', 'translucent'] as const satisfies Kind[];

async function sortedFiles(folder: string): Promise<Sorted[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.(jpe?g|png)$/i.test(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
  const sorted: Sorted[] = [];
  for (const name of paths) {
    const bytes = new Uint8Array(await readFile(join(folder, name)));
    const look = await kindOf(bytes);
    if (look) sorted.push({ file: { name, bytes }, ...look });
  }
  return sorted;
}

function order(a: Sorted, b: Sorted): number {
  return a.file.name < b.file.name ? -1 : 1;
}

function files(sorted: readonly Sorted[]): CorpusFile[] {
  return sorted.map(({ file }) => file);
}
