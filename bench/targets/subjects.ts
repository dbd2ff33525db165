import type { OutputType } from '../../src/image/formats/facts.ts';
import { inspect } from '../../src/image/formats/registry.ts';
import { stillTypes } from '../../test/support/inspections.ts';
import type { BenchSettings, Corpus, CorpusFile } from '../harness/section.ts';
import { evenly, megapixels } from '../measures/figures.ts';
import type { Query } from '../service/memory/configurations.ts';

/** A source picture and its possible output formats. */
export interface Subject {
  readonly file: CorpusFile;
  readonly formats: readonly OutputType[];
}

/** Folders of typical photos and graphics; if the corpus has none of them, all pictures count. */
const folders = ['photos', 'kodak', 'ui', 'alpha'];

/** Default number of pictures per folder, evenly selected. */
const usualFilesEach = 12;

/** Maximum size of PNG output in megapixels, because the palette of a camera photo takes a minute. */
const largestPng = 2;

/** JPEGs and PNGs of the corpus, some of each folder. */
export function subjectsOf({ corpus, filesEach }: Pick<BenchSettings, 'corpus' | 'filesEach'>) {
  const byFolder = Map.groupBy(wantedFiles(corpus), ({ name }) => folderOf(name));
  const chosen = [...byFolder.values()].flatMap((all) => evenly(all, filesEach ?? usualFilesEach));
  return chosen.flatMap(subjectOf);
}

function wantedFiles({ files }: Corpus): readonly CorpusFile[] {
  const known = files.filter(({ name }) => folders.includes(folderOf(name)));
  return known.length > 0 ? known : files;
}

function folderOf(name: string): string {
  return name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
}

function subjectOf(file: CorpusFile): Subject[] {
  const looked = inspect(file.bytes);
  if (looked.kind !== 'image') return [];
  const { image } = looked;
  if (image.frames > 1 || (image.type !== 'jpeg' && image.type !== 'png')) return [];
  const isSmall = megapixels(image) <= largestPng;
  const formats = stillTypes.filter((type) => type !== 'png' || isSmall);
  return [{ file, formats }];
}

/** Background color for transparent pictures in opaque formats. */
export const background = [255, 255, 255] as const;

/** The query for a format with that background. */
export function queryFor(format: OutputType, goal: Query): Query {
  return { format, background: '#ffffff', ...goal };
}
