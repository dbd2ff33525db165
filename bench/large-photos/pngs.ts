import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { chunk, sample } from '../../test/support/pictures.ts';
import { type LargePicture, mostBytes } from './picture.ts';

/** PNGs of 16 and 50 megapixels, from the samples. */
export async function largePngs() {
  return {
    translucent: await translucent(4000, 4000),
    indexed: await indexed(8000, 6250),
    grey: await grey(8000, 6250),
  };
}

/** The photo behind the logo's shape. */
async function translucent(width: number, height: number): Promise<LargePicture> {
  const size = { width, height, fit: 'cover' } as const;
  const alpha = await sharp(await sample('logo.png'))
    .resize(size)
    .extractChannel(3)
    .png({ compressionLevel: 1 })
    .toBuffer();
  const file = await sharp(await sample('photo.jpg'))
    .resize(size)
    .joinChannel(alpha)
    .png({ adaptiveFiltering: true })
    .toBuffer();
  return picture('RGBA', width, height, file);
}

async function grey(width: number, height: number): Promise<LargePicture> {
  const file = await sharp(await sample('photo.jpg'))
    .resize(width, height, { fit: 'cover' })
    .greyscale()
    .png({ adaptiveFiltering: true })
    .toBuffer();
  return picture('grey', width, height, file);
}

/** The window in 256 colours, as often as it fits; written here, since choosing colours again takes a minute. */
async function indexed(width: number, height: number): Promise<LargePicture> {
  const reduced = await sharp(await sample('interface.png'))
    .png({ palette: true })
    .toBuffer();
  const decoded = sharp(reduced).removeAlpha().raw();
  const { data, info } = await decoded.toBuffer({ resolveWithObject: true });
  const indices = new Map<number, number>();
  const tile = new Uint8Array(info.width * info.height);
  for (let i = 0; i < tile.length; i += 1) {
    const color = data.readUIntBE(3 * i, 3);
    const index = indices.get(color) ?? indices.size;
    indices.set(color, index);
    tile[i] = index;
  }
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const from = (y % info.height) * info.width;
    const row = tile.subarray(from, from + info.width);
    for (let x = 0; x < width; x += info.width) {
      rows.set(row.subarray(0, width - x), y * (width + 1) + 1 + x);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.alloc(3 * indices.size);
  for (const [color, index] of indices) palette.writeUIntBE(color, 3 * index, 3);
  const file = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return picture('palette', width, height, file);
}

function picture(kind: string, width: number, height: number, file: Uint8Array): LargePicture {
  if (file.length > mostBytes) throw new RangeError(`${kind} is larger than the service takes`);
  const megapixels = ((width * height) / 1e6).toFixed(0);
  return { name: `${megapixels} MP PNG, ${kind}`, type: 'png', file: new Uint8Array(file) };
}
