import type * as Xml from '@xmldom/xmldom';
import type * as Smartcrop from 'smartcrop';
import type * as ThumbHash from 'thumbhash';
import type { formats as allFormats } from '../../../../src/image/formats/all.ts';
import type { ImageType } from '../../../../src/image/formats/facts.ts';
import { demand, loadModules } from './loading.ts';

// What the built package has in the place of modules of the engine (engine-plugins.ts), so that pages load only what their
// pictures need: the list of all formats (src/image/formats/all.ts), the XML parser, since most pictures have no XMP, and what
// single options take.

type Formats = typeof allFormats;

/** The code of each format, in a file of its own. */
const files: { readonly [Type in ImageType]: () => Promise<Formats[Type]> } = {
  jpeg: async () => (await import('../../../../src/image/formats/jpeg/jpeg.ts')).jpeg,
  png: async () => (await import('../../../../src/image/formats/png/png.ts')).png,
  webp: async () => (await import('../../../../src/image/formats/webp/webp.ts')).webp,
  avif: async () => (await import('../../../../src/image/formats/avif/avif.ts')).avif,
  gif: async () => (await import('../../../../src/image/formats/gif/gif.ts')).gif,
  jxl: async () => (await import('../../../../src/image/formats/jxl/jxl.ts')).jxl,
};

const loaded: { -readonly [Type in ImageType]?: Formats[Type] } = {};

/** Demands what has not been loaded. */
export const formats = new Proxy(loaded, {
  get: (_, type: ImageType) =>
    loaded[type] ?? demand({ load: () => loadFormat(type, { isWritten: true }) }),
}) as Formats;

/** Of which most pages need only the decoders. */
const avifEncoder = 'avif-encode';

/**
 * Loads the code and the kernels of a format.
 * @param isWritten whether pictures may become files of it
 */
export async function loadFormat(
  type: ImageType,
  { isWritten }: { readonly isWritten: boolean },
): Promise<void> {
  const format = await files[type]();
  await loadModules((name) => isWritten || name !== avifEncoder);
  Object.assign(loaded, { [type]: format });
}

let xml: typeof Xml | null = null;

/** Loads the parser. */
export async function loadXml(): Promise<void> {
  xml ??= await import('@xmldom/xmldom');
}

const parser = { load: loadXml };

export const DOMParser = class {
  constructor(...args: ConstructorParameters<typeof Xml.DOMParser>) {
    // biome-ignore lint/correctness/noConstructorReturn: stands for the class itself
    return new (xml ?? demand(parser)).DOMParser(...args);
  }
} as typeof Xml.DOMParser;

export const XMLSerializer = class {
  constructor() {
    // biome-ignore lint/correctness/noConstructorReturn: stands for the class itself
    return new (xml ?? demand(parser)).XMLSerializer();
  }
} as typeof Xml.XMLSerializer;

export const onErrorStopParsing: typeof Xml.onErrorStopParsing = (...args) =>
  (xml ?? demand(parser)).onErrorStopParsing(...args);

let hashing: typeof ThumbHash | null = null;

/** Loads what makes placeholders. */
export async function loadHashing(): Promise<void> {
  hashing ??= await import('thumbhash');
}

const hasher = { load: loadHashing };

export const rgbaToThumbHash: typeof ThumbHash.rgbaToThumbHash = (...args) =>
  (hashing ?? demand(hasher)).rgbaToThumbHash(...args);

let cropping: typeof Smartcrop | null = null;

/** Loads what looks for the part to crop to. */
export async function loadCropping(): Promise<void> {
  cropping ??= await import('smartcrop');
}

const cropper = { load: loadCropping };

export default {
  crop: (...args) => (cropping ?? demand(cropper)).default.crop(...args),
} satisfies typeof Smartcrop.default;
