import { describe, expect, it } from 'vitest';
import {
  acScans,
  chooseCoding,
  chooseScript,
  dcScans,
  defaultAcPlan,
  defaultDcPlan,
  inViewingOrder,
  type Scan,
  type ScriptFrame,
} from '../../../../../src/image/formats/jpeg/scan-script.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { itForEach } from '../../../../support/each.ts';

const frames: Record<string, ScriptFrame> = {
  grey: { componentCount: 1, chroma: [], interleaves: true },
  YCbCr: { componentCount: 3, chroma: [1, 2], interleaves: true },
  'YCbCr with many blocks in an MCU': { componentCount: 3, chroma: [1, 2], interleaves: false },
  RGB: { componentCount: 3, chroma: [], interleaves: true },
  CMYK: { componentCount: 4, chroma: [], interleaves: true },
  YCCK: { componentCount: 4, chroma: [1, 2], interleaves: true },
};
const ycc: ScriptFrame = { componentCount: 3, chroma: [1, 2], interleaves: true };

function text({ components, ss, se, ah, al }: Scan): string {
  return `${components.join()}: ${ss}-${se}, ${ah}, ${al}`;
}

/** Costs without any order, the same for the same scan. */
function randomCost(seed: number): (scan: Scan) => number {
  return (scan) => {
    let hash = seed;
    for (const character of text(scan)) {
      hash = Math.imul(hash ^ character.charCodeAt(0), 0x9e3779b1) >>> 0;
      hash ^= hash >>> 15;
    }
    return 1000 + (hash % 50_000);
  };
}

/** ITU-T T.81 §G.1.1.1 and §B.2.3: every coefficient begins once, and loses one bit after the other. */
function validScript(
  scans: readonly Scan[],
  { componentCount, interleaves }: ScriptFrame,
): boolean {
  const bits = Array.from({ length: componentCount }, () => new Array<number>(64).fill(-1));
  for (const { components, ss, se, ah, al } of scans) {
    if (components.some((c, i) => i > 0 && c <= (components[i - 1] ?? 0))) return false;
    if (ss === 0 ? se !== 0 : se < ss || se > 63 || components.length !== 1) return false;
    if (components.length > 1 && components.length === componentCount && !interleaves) return false;
    if (ah > 0 && ah !== al + 1) return false;
    for (const c of components) {
      const known = bits[c];
      // refinements and later bands need DC (T.81 §G.1.1.1.1)
      if (!known || (ss > 0 && known[0] === -1)) return false;
      for (let k = ss; k <= se; k += 1) {
        if (known[k] !== (ah === 0 ? -1 : ah)) return false;
        known[k] = al;
      }
    }
  }
  return bits.every((known) => known.every((bit) => bit === 0));
}

/** With headers (T.81 §B.2.3): two bytes of marker, two of length, one, two for each component, three. */
function bitsOf(scans: readonly Scan[], cost: (scan: Scan) => number): number {
  return scans.reduce((sum, scan) => sum + cost(scan) + 8 * (8 + 2 * scan.components.length), 0);
}

function defaultScans(frame: ScriptFrame): Scan[] {
  const components = Array.from({ length: frame.componentCount }, (_, c) => c);
  return [
    ...dcScans(defaultDcPlan(frame)),
    ...components.flatMap((c) => acScans(c, defaultAcPlan(frame.chroma.includes(c)))),
  ];
}

/** The least bits of what can be put together out of scans, by trying everything. */
function minBits(frame: ScriptFrame, scans: readonly Scan[], cost: (scan: Scan) => number) {
  const known = new Set(scans.map(text));
  const least = (scripts: readonly Scan[][]) =>
    Math.min(
      ...scripts
        .filter((script) => script.every((scan) => known.has(text(scan))))
        .map((script) => bitsOf(script, cost)),
    );
  const all = Array.from({ length: frame.componentCount }, (_, c) => c);
  const alone = all.map((c) => [c]);
  const apart = [...alone.filter(([c = 0]) => !frame.chroma.includes(c)), [...frame.chroma]];
  const dc = [[all], alone, apart].flatMap((groups) =>
    [0, 1, 2].map((bits) => dcScans({ groups: groups.filter(({ length }) => length > 0), bits })),
  );
  const bits = [0, 1, 2, 3, 4];
  const ac = (c: number) =>
    Array.from({ length: 63 }, (_, i) => i + 1).flatMap((split) =>
      bits.flatMap((low) =>
        (split < 63 ? bits : [low]).flatMap((high) =>
          [0, 1, 2, 3, 5].flatMap((lowSplit) =>
            lowSplit < split ? [acScans(c, { lowSplit, split, low, high })] : [],
          ),
        ),
      ),
    );
  return all.reduce((sum, c) => sum + least(ac(c)), least(dc));
}

function chosen(frame: ScriptFrame, cost: (scan: Scan) => number) {
  return runAtOnce(
    chooseScript(frame, function* (scan) {
      return cost(scan);
    }),
  );
}

describe.each(Object.entries(frames))('the chosen script, %s', (_, frame) => {
  const seeds = Array.from({ length: 25 }, (_, i) => i + 1);

  itForEach(
    seeds,
    'is valid, and no dearer than any that the scans asked for allow (%i)',
    (seed) => {
      const asked: Scan[] = [];
      const cost = randomCost(seed);
      const { scans, bits } = chosen(frame, (scan) => {
        asked.push(scan);
        return cost(scan);
      });
      expect(validScript(scans, frame)).toBe(true);
      expect(bits).toBe(bitsOf(scans, cost));
      expect(bits).toBe(minBits(frame, asked, cost));
      expect(bits).toBeLessThanOrEqual(bitsOf(defaultScans(frame), cost));
      expect(new Set(asked.map(text)).size).toBe(asked.length);
    },
  );

  it('takes few scans to find', () => {
    for (const seed of seeds) {
      const asked: Scan[] = [];
      const cost = randomCost(seed);
      chosen(frame, (scan) => {
        asked.push(scan);
        return cost(scan);
      });
      const isDc = ({ ss }: Scan) => ss === 0;
      expect(asked.filter(isDc).length).toBeLessThanOrEqual(2 * frame.componentCount + 5);
      for (let c = 0; c < frame.componentCount; c += 1) {
        const number = asked.filter((scan) => !isDc(scan) && scan.components[0] === c).length;
        expect(number).toBeLessThanOrEqual(frame.chroma.includes(c) ? 9 : 24);
      }
    }
  });
});

describe('the chosen script', () => {
  it('is that of libjpeg where no other is cheaper, in nearly its order', () => {
    const usual = defaultScans(ycc).map(text);
    const { scans } = chosen(ycc, (scan) => (usual.includes(text(scan)) ? 100 : 100_000));
    expect(scans.map(text)).toEqual([
      '0,1,2: 0-0, 0, 1',
      '0: 1-5, 0, 2',
      '1: 1-63, 0, 1',
      '2: 1-63, 0, 1',
      '0: 6-63, 0, 2',
      '0: 1-63, 2, 1',
      '0,1,2: 0-0, 1, 0',
      '1: 1-63, 1, 0',
      '2: 1-63, 1, 0',
      '0: 1-63, 1, 0',
    ]);
  });

  it('has no refinements where they only cost', () => {
    const { scans } = chosen(ycc, ({ ah, se, ss }) => (ah > 0 ? 5000 : 100 + 10 * (se - ss)));
    expect(scans.every(({ ah, al }) => ah === 0 && al === 0)).toBe(true);
  });

  it('counts the headers of scans', () => {
    // all scans cost the same, so that the fewest are the best; headers decide how DC is shared
    const { scans, bits } = chosen(ycc, () => 0);
    expect(scans.map(text)).toEqual([
      '0,1,2: 0-0, 0, 0',
      '0: 1-63, 0, 0',
      '1: 1-63, 0, 0',
      '2: 1-63, 0, 0',
    ]);
    expect(bits).toBe(8 * (14 + 3 * 10));
  });
});

describe('a script in viewing order', () => {
  it('stays valid', () => {
    const plans = [0, 1, 2, 3].flatMap((low) =>
      [0, 1, 2, 3].map((high) => ({ split: 8, low, high })),
    );
    for (const plan of plans) {
      const scans = [0, 1, 2].flatMap((c) => acScans(c, plan));
      const dc = dcScans({ groups: [[0], [1, 2]], bits: 2 });
      expect(validScript(inViewingOrder([...scans, ...dc], ycc), ycc)).toBe(true);
    }
  });
});

describe('coding', () => {
  const cost = function* () {
    return 1000;
  };
  const progressiveBits = 4 * 1000 + 8 * (14 + 3 * 10);

  it('is progressive where that takes fewer bits', () => {
    const coding = runAtOnce(chooseCoding(ycc, cost, progressiveBits - 8 * 14 + 1));
    expect(coding).toEqual({ process: 'progressive', ...runAtOnce(chooseScript(ycc, cost)) });
    expect(coding.bits).toBe(progressiveBits);
  });

  it('is sequential where it does not', () => {
    expect(runAtOnce(chooseCoding(ycc, cost, progressiveBits - 8 * 14))).toEqual({
      process: 'sequential',
      scans: [{ components: [0, 1, 2], ss: 0, se: 63, ah: 0, al: 0 }],
      bits: progressiveBits,
    });
  });

  it('has a scan for each component where they cannot share one', () => {
    const { scans, bits } = runAtOnce(chooseCoding({ ...ycc, interleaves: false }, cost, 100));
    expect(scans.map(text)).toEqual(['0: 0-63, 0, 0', '1: 0-63, 0, 0', '2: 0-63, 0, 0']);
    expect(bits).toBe(100 + 3 * 80);
  });
});
