import { describe, expect, it } from 'vitest';
import { createEngine, ImageError, optimize, plan, predict } from '../../../src/image/engine.ts';
import { plainPicture } from '../../support/pictures.ts';

const mebibyte = 2 ** 20;
const roomy = createEngine({ memory: 512 * mebibyte });

const photo = Uint8Array.from(await plainPicture(320, 240).jpeg({ quality: 95 }).toBuffer());

/** A photo that is followed by as many bytes as no Worker has room for. */
const longFile = new Uint8Array(40 * mebibyte);
longFile.set(photo);

describe('an engine with budgets of its own', () => {
  it('works on what does not fit into a Worker', async () => {
    expect(() => plan(longFile)).toThrow(ImageError);
    const { bytes, optimized } = await roomy.optimize(longFile);
    expect(optimized).toBe(true);
    expect(Buffer.from(bytes).equals((await optimize(photo)).bytes)).toBe(true);
  });

  it('refuses what takes more CPU time than it allows', () => {
    const hasty = createEngine({ maxCpuMs: 1 });
    expect(() => hasty.plan(photo, { format: 'avif' })).toThrow(ImageError);
    expect(plan(photo, { format: 'avif' }).cpuMs).toBeGreaterThan(1);
  });

  it('leaves other engines what they had: the same plans, and the same bytes', async () => {
    const options = { format: 'webp' } as const;
    const before = await optimize(photo, options);
    const planned = plan(photo, options).totalPeak(photo.length);
    await Promise.all([roomy.optimize(longFile, { format: 'png' }), roomy.optimize(photo)]);
    expect(await optimize(photo, options)).toEqual(before);
    expect(plan(photo, options).totalPeak(photo.length)).toBe(planned);
    expect(() => plan(longFile)).toThrow(ImageError);
  });

  it('accounts for what is held beside its work', () => {
    const hold = roomy.ledger.hold(200 * mebibyte);
    expect(hold?.bytes).toBe(200 * mebibyte);
    expect(roomy.ledger.held).toBeGreaterThan(200 * mebibyte);
    expect(hold?.resizeTo(250 * mebibyte)).toBe(true);
    expect(hold?.resizeTo(600 * mebibyte)).toBe(false);
    expect(hold?.bytes).toBe(250 * mebibyte);
    hold?.release();
    expect(createEngine().ledger.hold(200 * mebibyte)).toBeNull();
  });

  it('has the memory of a Worker at least, and CPU time', () => {
    for (const memory of [95 * mebibyte, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => createEngine({ memory })).toThrow(RangeError);
    }
    for (const maxCpuMs of [0, -1, Number.NaN]) {
      expect(() => createEngine({ maxCpuMs })).toThrow(RangeError);
    }
  });
});

describe('what an image of a length is expected to take', () => {
  it('is more for a longer one, in CPU time and memory', () => {
    const [short, long] = [predict(100_000), predict(4 * mebibyte)];
    expect(long.cpuMs).toBeGreaterThan(2 * short.cpuMs);
    expect(long.memory).toBeGreaterThan(short.memory + 3 * mebibyte);
  });

  it('is no more than the budgets allow', () => {
    const { cpuMs, memory } = predict(1e12, { format: 'auto' });
    expect(cpuMs).toBeLessThanOrEqual(100_000);
    expect(memory).toBeLessThanOrEqual(96 * mebibyte);
  });

  it('is no memory if nothing is possible', () => {
    const { cpuMs, memory } = createEngine({ maxCpuMs: 0.1 }).predict(1000);
    expect(cpuMs).toBeLessThanOrEqual(0.1);
    expect(memory).toBe(0);
  });

  it('is that of a typical photo if its length is unknown', () => {
    expect(predict(null, { format: 'webp' })).toEqual(predict(1_800_000, { format: 'webp' }));
  });
});
