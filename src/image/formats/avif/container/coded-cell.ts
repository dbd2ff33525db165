import { ascii, ContainerError, joinBytes, uint32 } from '../../../container/assemble.ts';
import type { Size } from '../../../pixels/raster.ts';
import type { Association, Property } from './items.ts';
import { type AvifChroma, codePoint, writeNclx } from './properties.ts';

/** The AV1 data of a picture, and the properties that readers need. */
export interface CodedPlanes {
  readonly data: Uint8Array;
  readonly associations: readonly Association[];
}

/** An encoded cell. */
export interface CodedCell {
  readonly color: CodedPlanes;
  /** Null if all pixels are opaque. */
  readonly alpha: CodedPlanes | null;
}

/** Resolution of chroma, which a gray picture does not have. */
export type Chroma = 'full' | 'halved' | 'none';

/** What the planes of a cell hold: luma with chroma, colors as they are, or alpha. */
export type Content = Chroma | 'colors' | 'alpha';

/** The layout of these planes. */
export const layoutOf = {
  none: '400',
  halved: '420',
  full: '444',
  colors: '444',
  alpha: '400',
} as const;

/** The coded data of a cell with its properties: the size, depths, codec configuration, and the meaning of samples. */
export function planesOf(data: Uint8Array, { width, height }: Size, content: Content): CodedPlanes {
  const samples = withoutDelimiter(data);
  const layout = layoutOf[content];
  const depths = layout === '400' ? [8] : [8, 8, 8];
  const described: readonly Property[] = [
    { type: 'ispe', content: uint32(0, width, height) },
    { type: 'pixi', content: Uint8Array.of(0, 0, 0, 0, depths.length, ...depths) },
    { type: 'av1C', content: configurationOf(samples, layout) },
    content === 'alpha' ? alphaProperty : colorProperty(content),
  ];
  return {
    data: samples,
    associations: described.map((property) => ({ property, essential: property.type === 'av1C' })),
  };
}

/** `colr` of sRGB in full range. */
function colorProperty(content: Content): Property {
  const matrix = content === 'colors' ? codePoint.identityMatrix : codePoint.bt601Matrix;
  const { bt709Primaries: primaries, srgbTransfer: transfer } = codePoint;
  return { type: 'colr', content: writeNclx({ primaries, transfer, matrix, fullRange: true }) };
}

/** `auxC` of alpha (ISO/IEC 23008-12 §6.5.8). */
const alphaProperty: Property = {
  type: 'auxC',
  content: joinBytes(uint32(0), ascii('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0')),
};

/** Without the temporal delimiter in front, which must not be there (AV1 Image File Format 1.1 §2.1). */
function withoutDelimiter(data: Uint8Array): Uint8Array {
  return data[0] === 0x12 && data[1] === 0 ? data.subarray(2) : data;
}

/**
 * `av1C` of 8 bits (AV1 Codec ISO Media File Format Binding §2.3), with profile and level as in the sequence header that
 * the data begin with, which is that of a still picture (AV1 §5.5.1).
 */
function configurationOf(data: Uint8Array, chroma: AvifChroma): Uint8Array {
  // Behind the header of the OBU and its size, which is less than 128.
  const [first = 0, second = 0] = data.subarray(2);
  const profile = first >> 5;
  const level = ((first & 7) << 2) | (second >> 6);
  const layout = { '400': 0x1c, '420': 0x0c, '422': 0x08, '444': 0 }[chroma];
  return Uint8Array.of(0x81, (profile << 5) | level, layout, 0);
}

/** The error for cells that differ in size or kind. */
export function unfit(): ContainerError {
  return new ContainerError('These AVIF cells do not go together.');
}
