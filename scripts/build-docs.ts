/** Renders the pages of contents.ts into `dist/cabinet/docs`, where the Worker finds its pages, together with the search index. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { builtName, docsPages } from '../src/cabinet/pages/docs/contents.ts';
import type { SearchEntry } from '../src/cabinet/text/docs-search.ts';
import { inspectWebp } from '../src/image/formats/webp/reader.ts';
import { packageFile, packagePath } from './build-tarball.ts';
import { type ImageSize, renderDocs } from './docs/markdown.ts';
import { isFresh } from './local/is-fresh.ts';
import { root } from './local/root.ts';

const source = join(root, 'docs');
const target = join(root, 'dist/cabinet/docs');
const index = join(target, 'search.json');
const contents = join(root, 'src/cabinet/pages/docs/contents.ts');
const report = join(root, 'bench/report');
const written: string[] = [];
const generators = [import.meta.filename, join(root, 'scripts/docs/markdown.ts'), contents];
const changelog = join(root, 'CHANGELOG.md');
const sources = [
  source,
  changelog,
  report,
  ...generators,
  packageFile,
  join(root, 'package-lock.json'),
];

// Services that start at the same time build concurrently, so every file is replaced atomically and none is ever
// missing.
if (!(await isFresh(index, sources))) {
  await mkdir(join(target, 'images'), { recursive: true });
  const search: SearchEntry[] = [];
  for (const { path, file, title } of docsPages) {
    if (file === null) continue;
    const { images, search: entries, title: heading, ...page } = await rendered(file, path);
    if (heading !== title) throw new Error(`docs/${file} is "${heading}", not "${title}".`);
    search.push(...entries);
    for (const image of images) {
      await replace(join('images', basename(image)), await readFile(join(source, image)));
    }
    await replace(builtName(file), JSON.stringify(page));
  }
  await replace(basename(index), JSON.stringify(search));
  await clearOthers();
}

/** @param name relative to the target folder */
async function replace(name: string, content: string | Uint8Array): Promise<void> {
  const part = join(target, `${name}.${process.pid}.part`);
  await writeFile(part, content);
  await rename(part, join(target, name));
  written.push(name);
}

async function clearOthers(): Promise<void> {
  const files = await readdir(target, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of files.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name);
    const isOurs = name.endsWith('.part') || written.includes(relative(target, path));
    if (!isOurs) await rm(path, { force: true });
  }
}

function sizeOf(image: string): ImageSize {
  return image.endsWith('.webp') ? cutSize(image) : plotSize(image);
}

function cutSize(image: string): ImageSize {
  const file = readFileSync(join(source, image));
  const inspection = inspectWebp(new DataView(file.buffer, file.byteOffset, file.length));
  if (inspection.kind !== 'image') throw new Error(`${image} cannot be read.`);
  return [inspection.image.width, inspection.image.height];
}

/** Size of a plot of the bench report, read from the root element of its SVG. */
function plotSize(image: string): ImageSize {
  const svg = readFileSync(join(source, image), 'utf8');
  const [, width, height] = /^<svg [^>]*width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  if (width === undefined || height === undefined) throw new Error(`${image} has no size.`);
  return [Number(width), Number(height)];
}

async function rendered(file: string, path: string) {
  try {
    return renderDocs(await readFile(join(source, file), 'utf8'), path, sizeOf, packagePath);
  } catch (cause) {
    throw new Error(`docs/${file}: ${(cause as Error).message}`, { cause });
  }
}
