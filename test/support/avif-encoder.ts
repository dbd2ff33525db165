import { codedCell } from '../../src/image/formats/avif/codec/cell-encoder.ts';
import { encodingBytes } from '../../src/image/formats/avif/codec/memory.ts';
import { pictureHandler } from '../../src/image/formats/avif/codec/picture-encoder.ts';
import type { AvifSettings } from '../../src/image/formats/avif/codec/settings.ts';
import { itemsOf } from '../../src/image/formats/avif/container/grid.ts';
import { writeAvif } from '../../src/image/formats/avif/container/writer.ts';
import { usualSpeed } from '../../src/image/formats/coding.ts';
import type { Encoder } from './rows.ts';

/** Settings of the encoder; by default, those of a detailed photo. */
export type AvifWishes = Partial<AvifSettings> & Pick<AvifSettings, 'quality'>;

const usual = { chroma: 'halved', kind: 'detailed', speed: usualSpeed } as const;

/** The service's encoder of a cell, as one that makes files. */
export const avifEncoder: Encoder<AvifWishes> = {
  arenaBytes: (picture, wishes) => encodingBytes(picture, { ...usual, ...wishes }),
  encode(raster, wishes) {
    const settings = { ...usual, ...wishes };
    const layout = { width: raster.width, height: raster.height, columns: 1, rows: 1 };
    const { items, references } = itemsOf(
      [codedCell(raster, settings, { hasAlpha: true })],
      layout,
    );
    const brands = ['avif', 'mif1', 'miaf'];
    const primaryId = items[0].id;
    return writeAvif(new Uint8Array(0), {
      brands,
      handler: pictureHandler,
      primaryId,
      items,
      references,
    });
  },
};
