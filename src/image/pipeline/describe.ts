import { profileName } from '../color/icc-reader.ts';
import { factsOf, type ImageType } from '../formats/facts.ts';
import { formatOf, readMetadata, type SourceImage, uprightSize } from '../formats/registry.ts';
import type { MetadataKind } from '../metadata/metadata.ts';

/** What the headers of a file tell about its picture. */
export interface Description {
  readonly type: ImageType;
  readonly mediaType: string;
  /** Size in pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** Number of frames; 1 for a still. */
  readonly frames: number;
  /** Bits per stored sample; for a palette PNG, bits per index. */
  readonly bitDepth: number;
  /** Whether pixels may be transparent. */
  readonly hasAlpha: boolean;
  /** The EXIF orientation, 1 to 8; 1 if there is none. */
  readonly orientation: number;
  /** Name of the embedded ICC profile; null if there is none, or it has no name. */
  readonly profile: string | null;
  /** Whether a gain map states how much brighter the picture is on an HDR screen. */
  readonly hasGainMap: boolean;
  readonly metadata: readonly MetadataKind[];
}

/** @param image the result of `inspect` for `file` */
export function describe(file: Uint8Array, image: SourceImage): Description {
  const { type, bitDepth, hasAlpha, orientation } = image;
  const icc = formatOf(image).read.profile(file, image);
  const { exif, xmp, iptc } = readMetadata(image, file);
  const blocks = { exif, xmp, iptc };
  const kinds: readonly MetadataKind[] = ['exif', 'xmp', 'iptc'];
  return {
    ...{ type, mediaType: factsOf(type).mediaType },
    ...uprightSize(image),
    frames: image.frameTotals?.frames ?? image.frames,
    ...{ bitDepth, hasAlpha, orientation },
    profile: icc instanceof Uint8Array ? profileName(icc) : null,
    hasGainMap: image.gainMap !== undefined,
    metadata: kinds.filter((kind) => (blocks[kind]?.length ?? 0) > 0),
  };
}
