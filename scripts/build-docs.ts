/** Renders `docs/*.md` into `dist/cabinet/docs`, where the Worker finds its pages, and the index of their search. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { docsPages } from '../src/cabinet/pages/docs/contents.ts';
import type { SearchEntry } from '../src/cabinet/text/docs-search.ts';
import { renderDocs } from './docs/markdown.ts';
import { isFresh } from './local/is-fresh.ts';
import { root } from './local/root.ts';

const source = join(root, 'docs');
const target = join(root, 'dist/cabinet/docs');
const index = join(target, 'search.json');
const contents = join(root, 'src/cabinet/pages/docs/contents.ts');
const report = join(root, 'bench/report');
const makers = [import.meta.filename, join(root, 'scripts/docs/markdown.ts'), contents];

if (!(await isFresh(index, [source, report, ...makers, join(root, 'package-lock.json')]))) {
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, 'images'), { recursive: true });
  const search: SearchEntry[] = [];
  for (const { path, file, title } of docsPages) {
    if (file === null) continue;
    const { images, search: entries, title: heading, ...page } = await rendered(file, path);
    if (heading !== title) throw new Error(`docs/${file} is "${heading}", not "${title}".`);
    search.push(...entries);
    for (const image of images)
      await cp(join(source, image), join(target, 'images', basename(image)));
    await writeFile(join(target, file.replace(/md$/, 'json')), JSON.stringify(page));
  }
  await writeFile(index, JSON.stringify(search));
}

async function rendered(file: string, path: string) {
  try {
    return renderDocs(await readFile(join(source, file), 'utf8'), path);
  } catch (cause) {
    throw new Error(`docs/${file}: ${(cause as Error).message}`, { cause });
  }
}
