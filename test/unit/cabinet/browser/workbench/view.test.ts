import { describe, expect, it } from 'vitest';
import {
  fitted,
  panned,
  placed,
  zoomed,
} from '../../../../../src/cabinet/browser/workbench/view.ts';

const image = { width: 4000, height: 3000 };
const stage = { width: 1000, height: 600 };

describe('an image on the stage', () => {
  it('fits at first, and is not enlarged for that', () => {
    expect(fitted(image, stage)).toEqual({ x: 2000, y: 1500, scale: 0.2 });
    expect(fitted({ width: 100, height: 50 }, stage).scale).toBe(1);
  });

  it('is zoomed around the point under the pointer', () => {
    const before = fitted(image, stage);
    const at = { x: 150, y: -90 };
    const after = zoomed(before, 1, image, stage, at);
    const under = (view: typeof before) => [view.x + at.x / view.scale, view.y + at.y / view.scale];
    expect(after.scale).toBe(1);
    expect(under(after)[0]).toBeCloseTo(under(before)[0] ?? 0, 6);
    expect(under(after)[1]).toBeCloseTo(under(before)[1] ?? 0, 6);
  });

  it('keeps within its edges, and in the middle where it is smaller than the stage', () => {
    const near = panned(
      zoomed(fitted(image, stage), 2, image, stage),
      { x: 9e9, y: -9e9 },
      image,
      stage,
    );
    expect(placed(near, image, stage)).toEqual({ left: 0, top: -5400, width: 8000, height: 6000 });
    const whole = panned(fitted(image, stage), { x: 50, y: 50 }, image, stage);
    expect(whole).toEqual(fitted(image, stage));
  });

  it('is zoomed neither out of what fits nor in without end', () => {
    expect(zoomed(fitted(image, stage), 0.01, image, stage).scale).toBe(0.2);
    expect(zoomed(fitted(image, stage), 100, image, stage).scale).toBe(8);
  });
});
