import { describe, expect, it } from 'vitest';
import { clearRegion, emptyCanvas } from '../../../../src/image/animation/composition.ts';
import type { ColorTolerance } from '../../../../src/image/animation/differences.ts';
import { FramePlanner, type FrameRules } from '../../../../src/image/animation/frame-planner.ts';
import type { Canvas, PlannedFrame } from '../../../../src/image/animation/timeline.ts';
import type { Region } from '../../../../src/image/pixels/raster.ts';
import { runAtOnce, type Slices } from '../../../../src/image/slices.ts';
import { Random } from '../../../support/random.ts';
import { canvasOf, textOf } from './canvases.ts';

const gif: FrameRules = {
  disposals: ['keep', 'background', 'previous'],
  canClear: false,
  offsetStep: 1,
  isFirstWhole: false,
  durations: { perSecond: 100, maxTicks: 65_535 },
};
const apng: FrameRules = {
  ...gif,
  canClear: true,
  isFirstWhole: true,
  durations: { perSecond: null, maxTicks: 65_535 },
};
const webp: FrameRules = {
  ...gif,
  disposals: ['keep', 'background'],
  canClear: true,
  offsetStep: 2,
  durations: { perSecond: 1000, maxTicks: 0xff_ffff },
};

const never: ColorTolerance = () => false;

type Step = readonly [picture: Canvas, ticks: number];

interface Planned extends Pick<PlannedFrame, 'region' | 'disposal'> {
  readonly ticks: number;
}

/** Shows pictures, each for its ticks, and writes the last frame. */
function showAll(planner: FramePlanner, steps: readonly Step[], perSecond = 100): void {
  for (const [picture, ticks] of steps) runAtOnce(planner.show(picture, { ticks, perSecond }));
  runAtOnce(planner.finish());
}

/** The frames that pictures become. */
function planned(
  steps: readonly Step[],
  rules: FrameRules,
  isAcceptable: ColorTolerance = never,
): Planned[] {
  const frames: Planned[] = [];
  const [[{ width, height }] = [emptyCanvas({ width: 1, height: 1 })]] = steps;
  const planner = new FramePlanner({ width, height }, rules, isAcceptable, function* (frame) {
    const { region, disposal, duration } = frame;
    frames.push({ region, disposal, ticks: duration.ticks });
  });
  showAll(planner, steps, rules.durations.perSecond ?? 1000);
  planner.end();
  return frames;
}

function region(left: number, top: number, width: number, height: number): Region {
  return { left, top, width, height };
}

describe('a frame', () => {
  const ground = canvasOf('aaaaaa', 'aaaaaa', 'aaaaaa', 'aaaaaa');

  it('is the bounding box of what changes', () => {
    const steps: Step[] = [
      [ground, 5],
      [canvasOf('aaaaaa', 'aaaxaa', 'aaaayy', 'aaaaaa'), 7],
    ];
    expect(planned(steps, gif)).toEqual([
      { region: region(0, 0, 6, 4), disposal: 'keep', ticks: 5 },
      { region: region(3, 1, 3, 2), disposal: 'keep', ticks: 7 },
    ]);
  });

  it('begins at an even place where the format has no others', () => {
    const steps: Step[] = [
      [ground, 5],
      [canvasOf('aaaaaa', 'aaaxaa', 'aaaayy', 'aaaaaa'), 7],
    ];
    expect(planned(steps, webp)[1]?.region).toEqual(region(2, 0, 4, 3));
  });

  it('is no larger than what is visible of the first picture, unless the format wants it whole', () => {
    const steps: Step[] = [[canvasOf('......', '...xx.', '......'), 5]];
    expect(planned(steps, gif)[0]?.region).toEqual(region(3, 1, 2, 1));
    expect(planned(steps, webp)[0]?.region).toEqual(region(2, 0, 3, 2));
    expect(planned(steps, apng)[0]?.region).toEqual(region(0, 0, 6, 3));
  });

  it('is a single pixel where a picture shows nothing new', () => {
    expect(planned([[canvasOf('...', '...'), 5]], gif)[0]?.region).toEqual(region(0, 0, 1, 1));
    const steps: Step[] = [
      [ground, 1],
      [ground, 1],
    ];
    expect(planned(steps, gif)[1]).toEqual({
      region: region(0, 0, 1, 1),
      disposal: 'keep',
      ticks: 1,
    });
  });

  it('is none at all where there are no pictures', () => {
    expect(planned([], gif)).toEqual([]);
  });
});

describe('equal pictures', () => {
  const [a, b] = [canvasOf('aa', 'aa'), canvasOf('ab', 'aa')];

  it('become one frame that lasts as long as all of them', () => {
    const steps: Step[] = [
      [a, 5],
      [a, 6],
      [a, 2],
      [b, 4],
      [b, 4],
    ];
    expect(planned(steps, gif).map(({ ticks }) => ticks)).toEqual([13, 8]);
  });

  it('stay frames of their own where one lasts up to 10 ms', () => {
    const steps: Step[] = [
      [a, 5],
      [a, 1],
      [a, 0],
      [a, 5],
      [a, 2],
    ];
    expect(planned(steps, gif).map(({ ticks }) => ticks)).toEqual([5, 1, 0, 7]);
  });

  it('stay frames of their own where they are shown longer than one can be', () => {
    const steps: Step[] = [
      [a, 65_535],
      [a, 34_465],
    ];
    expect(planned(steps, gif).map(({ ticks }) => ticks)).toEqual([65_535, 34_465]);
  });

  it('may be off by what is acceptable', () => {
    const steps: Step[] = [
      [a, 5],
      [b, 6],
    ];
    expect(planned(steps, gif, () => true)).toHaveLength(1);
    expect(planned(steps, gif, never)).toHaveLength(2);
  });
});

describe('the disposal of a frame', () => {
  it('restores what was there where something moves over a ground', () => {
    const ground = 'abcdefgh';
    const steps: Step[] = [
      [canvasOf(ground, ground, ground), 5],
      [canvasOf('XXcdefgh', 'XXcdefgh', ground), 5],
      [canvasOf(ground, 'abcdefXX', 'abcdefXX'), 5],
      [canvasOf('abcXXfgh', 'abcXXfgh', ground), 5],
    ];
    for (const rules of [gif, apng]) {
      const frames = planned(steps, rules);
      expect(frames.map(({ disposal }) => disposal)).toEqual([
        'keep',
        'previous',
        'previous',
        'keep',
      ]);
      expect(frames[2]?.region).toEqual(region(6, 1, 2, 2));
    }
    expect(planned(steps, webp).every(({ disposal }) => disposal === 'keep')).toBe(true);
  });

  it('clears what moves over nothing', () => {
    const steps: Step[] = [
      [canvasOf('XX......', 'XX......'), 5],
      [canvasOf('......XX', '......XX'), 5],
      [canvasOf('...XX...', '...XX...'), 5],
    ];
    for (const rules of [gif, webp]) {
      const frames = planned(steps, rules);
      expect(frames.slice(0, 2).every(({ disposal }) => disposal !== 'keep')).toBe(true);
      expect(frames[1]?.region).toEqual(region(6, 0, 2, 2));
    }
  });

  it('clears more than its frame has changed where no later frame could', () => {
    const steps: Step[] = [
      [canvasOf('aaaaaaaa', 'aaaaaaaa'), 5],
      [canvasOf('aaXaaaaa', 'aaaaaaaa'), 5],
      [canvasOf('aa..aaaa', 'aaaaaaaa'), 5],
    ];
    const [, second, third] = planned(steps, gif);
    expect(second).toMatchObject({ disposal: 'background', region: region(2, 0, 2, 1) });
    expect(third?.region).toEqual(region(0, 0, 1, 1));
  });

  it('stays with a frame that can be cleared by the next one', () => {
    const steps: Step[] = [
      [canvasOf('aaaaaaaa', 'aaaaaaaa'), 5],
      [canvasOf('aa..aaaa', 'aaaaaaaa'), 5],
    ];
    expect(planned(steps, apng)).toMatchObject([
      { disposal: 'keep' },
      { region: region(2, 0, 2, 1) },
    ]);
  });
});

/** What frames show when they are drawn as a format does, and what is wrong with that. */
class Player {
  readonly shown: string[][] = [];
  readonly #canvas: Canvas;
  readonly #rules: FrameRules;

  constructor(canvas: Canvas, rules: FrameRules) {
    this.#canvas = canvas;
    this.#rules = rules;
  }

  *play({ region, picture, base, disposal }: PlannedFrame): Slices<void> {
    const { pixels } = this.#canvas;
    const before = pixels.slice();
    expect(textOf(base)).toEqual(textOf(this.#canvas));
    const { offsetStep, canClear, disposals, isFirstWhole } = this.#rules;
    expect([region.left % offsetStep, region.top % offsetStep]).toEqual([0, 0]);
    expect(disposals).toContain(disposal);
    if (isFirstWhole && this.shown.length === 0) {
      expect(region).toMatchObject({ left: 0, top: 0, width: picture.width });
    }
    for (let y = region.top; y < region.top + region.height; y += 1) {
      for (let x = region.left; x < region.left + region.width; x += 1) {
        const at = y * picture.width + x;
        const word = picture.pixels[at] ?? 0;
        // a format that cannot clear draws nothing there
        if (word === 0 && !canClear) expect(pixels[at]).toBe(0);
        pixels[at] = word;
      }
    }
    this.shown.push(textOf(this.#canvas));
    if (disposal === 'background') clearRegion(this.#canvas, region);
    if (disposal === 'previous') pixels.set(before);
  }
}

/** Pictures in which patches come and go, some of them transparent. */
function randomPictures(seed: number, count: number): Canvas[] {
  const random = new Random(seed);
  const upTo = (limit: number) => Math.floor(random.unit() * limit);
  const [width, height] = [5 + upTo(6), 4 + upTo(5)];
  let last = Array.from({ length: height }, () => (upTo(2) ? '.' : 'a').repeat(width));
  const first = last;
  return Array.from({ length: count }, () => {
    const ground = upTo(3) === 0 ? first : last;
    const letter = 'abcd...'[upTo(7)] ?? '.';
    const [left, top] = [upTo(width), upTo(height)];
    const [right, bottom] = [left + 1 + upTo(4), top + 1 + upTo(4)];
    last = ground.map((row, y) =>
      y < top || y >= bottom
        ? row
        : [...row].map((old, x) => (x >= left && x < right ? letter : old)).join(''),
    );
    return canvasOf(...last);
  });
}

describe.each([
  ['GIF', gif],
  ['APNG', apng],
  ['WebP', webp],
  ['a format that neither clears nor restores', { ...gif, disposals: ['keep', 'background'] }],
] satisfies [string, FrameRules][])('frames for %s', (_name, rules) => {
  it('show every picture as it is, whatever comes and goes', { tags: 'slow' }, () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const pictures = randomPictures(seed, 12);
      const [{ width, height } = emptyCanvas({ width: 1, height: 1 })] = pictures;
      const player = new Player(emptyCanvas({ width, height }), rules);
      const planner = new FramePlanner({ width, height }, rules, never, (frame) =>
        player.play(frame),
      );
      // none are merged
      showAll(
        planner,
        pictures.map((picture) => [picture, 0]),
      );
      expect(player.shown).toEqual(pictures.map(textOf));
    }
  });
});

describe('frames whose writer changes colours', () => {
  /** Draws what changes with its lowest bit of red set, and nothing else. */
  function emitInto(shown: Uint32Array[]): (frame: PlannedFrame) => Slices<void> {
    return function* ({ region, picture, base }) {
      for (let y = region.top; y < region.top + region.height; y += 1) {
        for (let x = region.left; x < region.left + region.width; x += 1) {
          const at = y * picture.width + x;
          const word = picture.pixels[at] ?? 0;
          if (word !== 0 && word !== base.pixels[at]) picture.pixels[at] = (word | 1) >>> 0;
        }
      }
      shown.push(picture.pixels.slice());
    };
  }

  it('leave alone what is wanted as before, though another colour is shown', () => {
    const regions: Region[] = [];
    const steps = [canvasOf('pppp', 'pppp'), canvasOf('pppX', 'pppp'), canvasOf('ppXX', 'pppp')];
    const write = emitInto([]);
    const emit = function* (frame: PlannedFrame) {
      regions.push(frame.region);
      yield* write(frame);
    };
    const planner = new FramePlanner({ width: 4, height: 2 }, gif, never, emit, true);
    showAll(
      planner,
      steps.map((picture) => [picture, 5]),
    );
    expect(regions).toEqual([region(0, 0, 4, 2), region(3, 0, 1, 1), region(2, 0, 1, 1)]);
  });

  it('are never off by more than one change', { tags: 'slow' }, () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const pictures = randomPictures(seed, 12);
      const [{ width, height } = emptyCanvas({ width: 1, height: 1 })] = pictures;
      const shown: Uint32Array[] = [];
      const planner = new FramePlanner({ width, height }, gif, never, emitInto(shown), true);
      showAll(
        planner,
        pictures.map((picture) => [picture, 0]),
      );
      for (const [frame, { pixels }] of pictures.entries()) {
        for (const [i, wanted] of pixels.entries()) {
          const allowed = wanted === 0 ? [0] : [wanted, (wanted | 1) >>> 0];
          expect(allowed).toContain(shown[frame]?.[i]);
        }
      }
    }
  });
});
