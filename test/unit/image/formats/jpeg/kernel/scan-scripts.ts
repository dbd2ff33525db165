import type { JpegScan } from '../../../../../support/jpeg-maker/content.ts';

/** Scripts of scans for one, three or four components. */
export const scripts = {
  sequential: (n) => [{ components: all(n), ss: 0, se: 63, ah: 0, al: 0 }],
  'separate sequential scans': (n) =>
    all(n).map((c) => ({ components: [c], ss: 0, se: 63, ah: 0, al: 0 })),
  'two sequential scans': (n) =>
    [all(n).slice(0, 1), all(n).slice(1)]
      .filter((components) => components.length > 0)
      .map((components) => ({ components, ss: 0, se: 63, ah: 0, al: 0 })),
  // as libjpeg's jpeg_simple_progression has it
  default: (n) => [
    { components: all(n), ss: 0, se: 0, ah: 0, al: 1 },
    ...ac([0], 1, 5, 0, 2),
    ...ac(all(n).slice(1), 1, 63, 0, 1),
    ...ac([0], 6, 63, 0, 2),
    ...ac([0], 1, 63, 2, 1),
    { components: all(n), ss: 0, se: 0, ah: 1, al: 0 },
    ...ac(all(n), 1, 63, 1, 0),
  ],
  'bands without approximation': (n) => [
    ...all(n).map((c) => ({ components: [c], ss: 0, se: 0, ah: 0, al: 0 })),
    ...ac(all(n), 1, 8, 0, 0),
    ...ac(all(n), 9, 9, 0, 0),
    ...ac(all(n), 10, 63, 0, 0),
  ],
  'many approximations': (n) => [
    { components: all(n), ss: 0, se: 0, ah: 0, al: 3 },
    ...[3, 2, 1].map((ah) => ({ components: all(n), ss: 0, se: 0, ah, al: ah - 1 })),
    ...ac(all(n), 1, 2, 0, 4),
    ...ac(all(n), 3, 63, 0, 3),
    ...ac(all(n), 1, 2, 4, 3),
    ...ac(all(n), 1, 63, 3, 2),
    ...ac(all(n), 1, 40, 2, 1),
    ...ac(all(n), 41, 63, 2, 1),
    ...ac(all(n), 1, 40, 1, 0),
    ...ac(all(n), 41, 63, 1, 0),
  ],
} satisfies Record<string, (n: number) => JpegScan[]>;

function all(n: number): number[] {
  return Array.from({ length: n }, (_, c) => c);
}

function ac(
  components: readonly number[],
  ss: number,
  se: number,
  ah: number,
  al: number,
): JpegScan[] {
  return components.map((c) => ({ components: [c], ss, se, ah, al }));
}
