import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../docs');

/** A code fence of a page in `docs/`. */
export interface Fence {
  readonly language: string;
  readonly title: string | null;
  readonly code: string;
}

/** All code fences of a page, also those in lists. */
export function fencesOf(page: string): readonly Fence[] {
  const text = readFileSync(join(folder, page), 'utf8');
  return Array.from(
    text.matchAll(/^( *)```(\w+)(?: title="([^"]*)")?[^\n]*\n([\s\S]*?)\n *```$/gm),
    ([, indent = '', language = '', title = null, code = '']) => ({
      language,
      title,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/**
 * The code with a title.
 * @throws Error if there is none
 */
export function codeTitled(page: string, title: string): string {
  const fence = fencesOf(page).find((one) => one.title === title);
  if (!fence) throw new Error(`docs/${page} has no code titled "${title}".`);
  return fence.code;
}
