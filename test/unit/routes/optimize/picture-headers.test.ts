import { describe, expect, it } from 'vitest';
import type { Result } from '../../../../src/image/pipeline/result.ts';
import {
  imageHeaders,
  pictureHeaders,
  verdictOf,
} from '../../../../src/routes/optimize/picture-headers.ts';
import { jpeg, sourceOf } from '../../../support/inspections.ts';

const result: Result = {
  kind: 'result',
  type: 'webp',
  bytes: new Uint8Array(500),
  width: 40,
  height: 30,
  quality: 81,
  score: null,
  smallerAs: null,
  gainMap: null,
  engine: 'rows',
};

function headersWith(changes: Partial<Result>, frames = 1): Record<string, string> {
  const picture = {
    kind: 'picture' as const,
    source: sourceOf(jpeg(), 1000),
    result: { ...result, ...changes },
    frames,
    isUntried: false,
  };
  return pictureHeaders(picture, verdictOf(picture), null);
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
    expect(headersWith({}, 24)).toMatchObject({ 'Image-Frames': '24' });
    expect(Object.keys(headersWith({}))).not.toContain('Image-Frames');
  });

  it('name the format that would be smaller', () => {
    const { 'Image-Smaller-As': smallerAs } = headersWith({ smallerAs: 'jpeg' });
    expect(smallerAs).toBe('jpeg');
    expect(imageHeaders['Image-Smaller-As'].schema.enum).toContain(smallerAs);
  });
});
