import type { Manifest } from 'vite';
import built from '../../../dist/cabinet/.vite/manifest.json';

const manifest: Manifest = built;

/** What a page loads besides itself: paths on this origin, each with a hash of its content in it. */
export interface PageFiles {
  readonly script: string;
  /** What the script imports, to be fetched at the same time. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
}

/**
 * The files of an entry in `src/cabinet/browser`, as Vite has built them.
 * @throws Error for an entry that is not in vite.config.ts
 */
export function pageFiles(entry: string): PageFiles {
  const chunk = manifest[`browser/entries/${entry}`];
  if (!chunk) throw new Error(`Vite has not built ${entry}.`);
  const imported = (chunk.imports ?? []).flatMap((name) => manifest[name] ?? []);
  return {
    script: `/${chunk.file}`,
    modules: imported.map(({ file }) => `/${file}`),
    // what is shared comes first, so that a page's own rules can say otherwise
    styles: [...imported, chunk]
      .flatMap(({ css }) => css ?? [])
      .sort((one, other) => Number(isShared(other)) - Number(isShared(one)))
      .map((file) => `/${file}`),
  };
}

/** Styles of several entries are a chunk of their own; Vite names them after the entry's. */
function isShared(style: string): boolean {
  return Object.values(manifest).some(({ file }) => file === style);
}
