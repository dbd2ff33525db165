import {
  type GivenSetOptions,
  ImageError,
  optionRules,
  readSetOptions,
} from '../../../../src/image/engine.ts';
import { hasImageExtension } from '../images.ts';
import { flagOf, type OptimizeOptions, type OptionName, readValue } from '../options.ts';

// Which imports are pictures, and what their queries ask for.

/** An import such as `./photo.jpg?widths=400,800&formats=avif,webp`. */
export interface PictureImport {
  /** Path of the image. */
  readonly path: string;
  /** The query as it was written, with its question mark. */
  readonly query: string;
  /** What the query asks for, and the options of the plugin where it does not say otherwise. */
  readonly set: GivenSetOptions;
}

/** Any of these makes an import one of a picture. */
const leading = ['widths', 'formats'] as const;

/** Queries of Vite itself, which then apply: https://vite.dev/guide/assets.html */
const foreign = ['url', 'raw', 'inline', 'no-inline'];

/** Each says how good the result is, and replaces all of them in the options of the plugin. */
const qualities = ['quality', 'target', 'maxBytes'] as const;

/** Options that sets share with single images, by their names in a query, which are those of the API. */
const sharedNames: ReadonlyMap<string, OptionName> = new Map(
  (Object.keys(optionRules) as OptionName[])
    .filter((name) => name !== 'format' && name !== 'width' && name !== 'height')
    .map((name) => [queryName(name), name]),
);

/** Matches the ids of imports that may be pictures. */
export const picturePattern = new RegExp(`[?&](?:${leading.join('|')})(?:=|&|$)`);

/**
 * Reads the id of a module.
 * @param options those of the plugin
 * @returns null if it is not the import of a picture
 * @throws RangeError that names the first option that is none or has no valid value
 */
export function pictureImportOf(id: string, options: OptimizeOptions): PictureImport | null {
  const at = id.indexOf('?');
  if (at < 0) return null;
  const [path, query] = [id.slice(0, at), id.slice(at)];
  const texts = new URLSearchParams(query);
  const isPicture = leading.some((name) => texts.has(name));
  if (!isPicture || !hasImageExtension(path) || foreign.some((name) => texts.has(name)))
    return null;
  return { path, query, set: setOf(texts, options) };
}

/** The size of pictures is theirs alone, so that the box of the plugin's options does not apply to them. */
function setOf(texts: URLSearchParams, options: OptimizeOptions): GivenSetOptions {
  const own = Object.fromEntries(Array.from(texts.keys(), (name) => optionIn(texts, name)));
  const isQualified = qualities.some((name) => own[name] !== undefined);
  const { quality, target, maxBytes, metadata, animation, hdr, background } = options;
  const set = {
    widths: [],
    ...{ metadata, animation, hdr, background },
    ...(!isQualified && { quality, target, maxBytes }),
    ...own,
  } as GivenSetOptions;
  try {
    readSetOptions(set);
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    throw new RangeError(
      error.detail.replace(/"(\w+)"/, (_, name) => `"${queryName(name)}"`),
      {
        cause: error,
      },
    );
  }
  return set;
}

/** The name and value of an option in a query. */
function optionIn(texts: URLSearchParams, name: string): readonly [string, unknown] {
  const [text = '', ...others] = texts.getAll(name);
  if (others.length > 0) throw new RangeError(`Option "${name}": is there more than once.`);
  if (name === 'widths') return [name, text.split(',').map(wholeNumber)];
  if (name === 'formats') return [name, text.split(',')];
  if (name === 'ratio') return [name, text];
  const option = sharedNames.get(name);
  if (option) return [option, readValue(option, text)];
  const known = [...leading, 'ratio', ...sharedNames.keys()].join(', ');
  throw new RangeError(`Option "${name}": is not an option of a picture, which are ${known}.`);
}

/** A number that is no valid width if the text is not one. */
function wholeNumber(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
}

function queryName(option: string): string {
  return flagOf(option).replaceAll('-', '_');
}
