import { hasImageExtension } from '../images.ts';
import {
  flagOf,
  type OptimizeOptions,
  type OptionName,
  type OptionTexts,
  optionNames,
  readSetOptions,
  type SetOptions,
} from '../options.ts';

// Which imports are pictures, and what their queries ask for.

/** An import such as `./photo.jpg?widths=400,800&formats=avif,webp`. */
export interface PictureImport {
  /** Path of the image. */
  readonly path: string;
  /** The query as it was written, with its question mark. */
  readonly query: string;
  /** What the query asks for, and the options of the plugin where it does not say otherwise. */
  readonly set: SetOptions;
}

/** Any of these makes an import one of a picture. */
const leading = ['widths', 'formats'] as const;

/** Queries of Vite itself, which then apply: https://vite.dev/guide/assets.html */
const foreign = ['url', 'raw', 'inline', 'no-inline'];

/** Each says how good the result is, and replaces all of them in the options of the plugin. */
const qualities = ['quality', 'target', 'maxBytes'] as const;

/** Options that sets share with single images, by their names in a query, which are those of the API. */
const sharedNames: ReadonlyMap<string, OptionName> = new Map(
  optionNames
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
function setOf(texts: URLSearchParams, options: OptimizeOptions): SetOptions {
  for (const name of texts.keys()) refuseUnknown(texts, name);
  const { widths = '', formats, ratio, ...others } = Object.fromEntries(texts);
  const own: OptionTexts = Object.fromEntries(
    Object.entries(others).map(([name, text]) => [sharedNames.get(name), text]),
  );
  const isQualified = qualities.some((name) => own[name] !== undefined);
  const { quality, target, maxBytes, metadata, animation, hdr, background } = options;
  const usual = {
    ...{ metadata, animation, hdr, background },
    ...(!isQualified && { quality, target, maxBytes }),
  };
  const lists = {
    widths,
    ...(formats !== undefined && { formats }),
    ...(ratio !== undefined && { ratio }),
  };
  try {
    return readSetOptions(lists, { ...textsOf(usual), ...own });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = error.message.replace(/"(\w+)"/, (_, name) => `"${queryName(name)}"`);
    throw new RangeError(message, { cause: error });
  }
}

/** @throws RangeError if it is no name of an option, or there more than once */
function refuseUnknown(texts: URLSearchParams, name: string): void {
  if (texts.getAll(name).length > 1) {
    throw new RangeError(`Option "${name}": is there more than once.`);
  }
  const known = [...leading, 'ratio', ...sharedNames.keys()];
  if (known.includes(name)) return;
  throw new RangeError(
    `Option "${name}": is not an option of a picture, which are ${known.join(', ')}.`,
  );
}

function textsOf(options: OptimizeOptions): OptionTexts {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

function queryName(option: string): string {
  return flagOf(option).replaceAll('-', '_');
}
