import sharp from 'sharp';
import { expect } from 'vitest';

/** The answer's bytes, after checking everything that its headers say about it. */
export async function expectPicture(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, body.toString('latin1', 0, 300)).toBe(200);
  const { format, autoOrient } = await sharp(body).metadata();
  const type = format === 'heif' ? 'avif' : format;
  const { headers } = response;
  expect(headers.get('Content-Type')).toBe(`image/${type}`);
  expect(headers.get('Content-Length')).toBe(String(body.length));
  expect(headers.get('Image-Output-Bytes')).toBe(String(body.length));
  expect([headers.get('Image-Width'), headers.get('Image-Height')]).toEqual([
    String(autoOrient.width),
    String(autoOrient.height),
  ]);
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.has('Access-Control-Allow-Origin')).toBe(false);
  const before = Number(headers.get('Image-Input-Bytes'));
  const optimized = body.length <= before * 0.99;
  expect(headers.get('Image-Optimized')).toBe(String(optimized));
  expect(headers.has('Image-Reason')).toBe(!optimized);
  return body;
}
