import { describe, expect, it } from 'vitest';
import type { Optimized } from '../../../../src/image/engine.ts';
import { imageHeaders, pictureHeaders } from '../../../../src/routes/optimize/picture-headers.ts';

const picture: Optimized = {
  type: 'webp',
  mediaType: 'image/webp',
  extension: 'webp',
  bytes: new Uint8Array(500),
  width: 40,
  height: 30,
  frames: 1,
  quality: 81,
  score: null,
  placeholder: null,
  optimized: true,
  reason: null,
  hdr: null,
  smallerAs: null,
  engine: 'rows',
};

function headersWith(changes: Partial<Optimized>): Record<string, string> {
  const input = { inputType: 'jpeg', inputBytes: 1000 } as const;
  return pictureHeaders(input, { ...picture, ...changes }, null);
}

describe('the headers of a result', () => {
  it.each([
    [77.4, '77.4'],
    [77, '77.0'],
    [99.9, '99.9'],
    [100, '100'],
    [99.96, '100'],
    [-3.2, '-3.2'],
  ])('have a score of %d as %s', (score, text) => {
    expect(headersWith({ score })).toMatchObject({ 'Image-Score': text, 'Image-Quality': '81' });
  });

  it('have no score where none was measured, and no other format where none is smaller', () => {
    const names = Object.keys(headersWith({}));
    expect(names).not.toContain('Image-Score');
    expect(names).not.toContain('Image-Smaller-As');
  });

  it('have the frames of an animation, and none of a still image', () => {
    expect(headersWith({ frames: 24 })).toMatchObject({ 'Image-Frames': '24' });
    expect(Object.keys(headersWith({}))).not.toContain('Image-Frames');
  });

  it('name the format that would be smaller', () => {
    const { 'Image-Smaller-As': smallerAs } = headersWith({ smallerAs: 'jpeg' });
    expect(smallerAs).toBe('jpeg');
    expect(imageHeaders['Image-Smaller-As'].schema.enum).toContain(smallerAs);
  });
});
