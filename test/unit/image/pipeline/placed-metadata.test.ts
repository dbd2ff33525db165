import { beforeAll, describe, expect, it } from 'vitest';
import type { OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { optimize } from '../../../support/engine.ts';
import { plainPicture } from '../../../support/pictures.ts';

const panorama = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 GPano:CroppedAreaImageWidthPixels="160" GPano:FullPanoHeightPixels="240" GCamera:MicroVideoOffset="4000" dc:format="image/jpeg"/></rdf:RDF></x:xmpmeta>`;

describe('XMP that places a picture in a panorama', () => {
  let upright: Uint8Array<ArrayBuffer>;
  let lying: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    const picture = plainPicture(160, 120).jpeg({ quality: 95 }).withXmp(panorama);
    upright = Uint8Array.from(await picture.clone().toBuffer());
    lying = Uint8Array.from(await picture.withMetadata({ orientation: 6 }).toBuffer());
  });

  const xmpOf = (file: Uint8Array<ArrayBuffer>, options: Partial<OptimizeOptions>) => {
    const { bytes } = optimize(file, { metadata: 'all', ...options });
    return Buffer.from(bytes).toString('latin1');
  };

  it.each(['jpeg', 'webp', 'avif'] as const)('counts in the pixels of a reduced %s', (format) => {
    const xmp = xmpOf(upright, { format, width: 80 });
    expect(xmp).toContain('GPano:CroppedAreaImageWidthPixels="80"');
    expect(xmp).toContain('GPano:FullPanoHeightPixels="120"');
    expect(xmp).not.toContain('MicroVideo');
    expect(xmpOf(upright, { format })).toContain('GPano:CroppedAreaImageWidthPixels="160"');
  });

  it.each([
    ['cropped', { width: 80, height: 80, fit: 'cover' }],
    ['cropped to its own height', { width: 80, height: 120, fit: 'cover' }],
  ] as const)('is gone from a picture that was %s', (_, options) => {
    expect(xmpOf(upright, options)).not.toContain('GPano');
    expect(xmpOf(upright, options)).toContain('dc:format="image/jpeg"');
  });

  it('is gone from a picture that was rotated, and stays where the tag rotates it', {
    tags: 'slow',
  }, () => {
    expect(xmpOf(lying, { format: 'avif' })).not.toContain('GPano');
    expect(xmpOf(lying, { width: 60 })).toContain('GPano:CroppedAreaImageWidthPixels="80"');
  });
});
