import type { Metadata, MetadataKind } from '../metadata/metadata.ts';
import { avifFacts } from './avif/facts.ts';
import type { FormatFacts } from './format-facts.ts';
import { gifFacts } from './gif/facts.ts';
import { jpegFacts } from './jpeg/facts.ts';
import { jxlFacts } from './jxl/facts.ts';
import { pngFacts } from './png/facts.ts';
import { webpFacts } from './webp/facts.ts';

/** What can be said of every format without its code: pages in the browser import this, too. */
export const formatFacts = [
  jpegFacts,
  pngFacts,
  webpFacts,
  avifFacts,
  gifFacts,
  jxlFacts,
] as const satisfies readonly FormatFacts[];

type Facts = (typeof formatFacts)[number];

export type ImageType = Facts['type'];
/** Formats whose files are read. */
export type InputType = Extract<Facts, { readonly isInput: true }>['type'];
/** Formats that can be asked for. */
export type OutputType = Extract<Facts, { readonly output: object }>['type'];

export const inputFacts = formatFacts.filter(isInput);
export const outputFacts = formatFacts.filter(isOutput);
export const outputTypes: readonly OutputType[] = outputFacts.map(({ type }) => type);

/** Types that `format=auto` tries for every picture that can become one of them. */
export const automaticTypes: readonly OutputType[] = outputFacts
  .filter(({ output }) => output.chosen !== 'never')
  .map(({ type }) => type);

/** Whether results of a format hold all of this metadata. */
export function holdsAll({ output }: FormatFacts, metadata: Metadata): boolean {
  const kinds: readonly MetadataKind[] = ['exif', 'xmp', 'iptc'];
  return kinds.every((kind) => !metadata[kind] || output?.holdsMetadata.includes(kind));
}

/** Whether a wildcard such as `image/*` means this format, too; if not, it has to be named. */
export function isMeantByWildcard({ output }: FormatFacts): boolean {
  return output?.chosen !== 'if-named';
}

/** The formats of the only pictures that become files of this one; null for all do. */
export function sourcesOf({ output }: FormatFacts): readonly FormatFacts[] | null {
  return output?.sources?.map(factsOf) ?? null;
}

export function isOutputType(type: string): type is OutputType {
  return outputTypes.some((known) => known === type);
}

/** What can be said of the format that goes by this word. */
export function factsOf(type: string): FormatFacts {
  const facts = formatFacts.find((one) => one.type === type);
  if (!facts) throw new TypeError(`${type} is no format`);
  return facts;
}

/** Names of formats for a sentence, such as `JPEG, PNG, WebP or AVIF`. */
export function namesOf(facts: readonly FormatFacts[], conjunction: 'and' | 'or'): string {
  const names = facts.map(({ name }) => name);
  const last = names.pop() ?? '';
  return names.length > 0 ? `${names.join(', ')} ${conjunction} ${last}` : last;
}

function isInput(facts: Facts): facts is Extract<Facts, { readonly isInput: true }> {
  return facts.isInput;
}

function isOutput(facts: Facts): facts is Extract<Facts, { readonly output: object }> {
  return facts.output !== null;
}
