/**
 * Pictures of animations with far more than 256 colors, as functions of position and frame number: RGBA, each sample
 * from 0 to 255.
 */
export type PictureAt = (x: number, y: number, frame: number) => readonly number[];

/** 0 below the first edge, 1 above the second, with a smooth transition between them. */
function step(from: number, to: number, value: number): number {
  const share = Math.max(0, Math.min(1, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
}

/** A glossy ball that bounces over its soft shadow, with translucent edges: 120 × 120. */
export const sticker: PictureAt = (x, y, frame) => {
  const bounce = Math.abs(Math.sin(frame / 2));
  const [left, top] = [60 + 8 * Math.cos(frame), 66 - 24 * bounce];
  const away = Math.hypot(x - left, y - top);
  const ball = 1 - step(28, 31, away);
  const shadow = (0.5 - 0.2 * bounce) * Math.exp(-(((x - left) / 26) ** 2 + ((y - 104) / 7) ** 2));
  const cover = ball + shadow * (1 - ball);
  const gloss = Math.max(0, 1 - Math.hypot(x - left + 10, y - top + 11) / 34);
  const color = [200 - 1.5 * away + 80 * gloss, 60 + 120 * gloss, 40 + 140 * gloss ** 2];
  const shares = color.map((sample) => (cover > 0 ? (ball * sample) / cover : 0));
  return [...shares, 255 * cover].map((sample) => Math.round(Math.max(0, Math.min(255, sample))));
};

/** Variations like those in photos, with a grain that does not change from frame to frame. */
function scenery(x: number, y: number): readonly number[] {
  const grain = (((x * 7919 + y * 104_729) >> 3) % 9) - 4;
  const level = 110 + 50 * Math.sin(x / 23) + 40 * Math.cos(y / 17 + x / 60) + grain;
  return [
    level,
    0.7 * level + 25 + 20 * Math.sin(y / 31),
    0.5 * level + 50 * Math.sin(x / 40) + 60,
  ];
}

/** A disc that moves over a landscape. */
export const landscape: PictureAt = (x, y, frame) => {
  const disc = 1 - step(13, 16, Math.hypot(x - 24 - 9 * frame, y - 50));
  const color = scenery(x, y).map(
    (sample, c) => sample * (1 - disc) + ([240, 70, 40][c] ?? 0) * disc,
  );
  return [...color.map((sample) => Math.round(Math.max(0, Math.min(255, sample)))), 255];
};

/** A linear gradient, which rows filtered by those above encode in almost no bytes. */
export const gradient: PictureAt = (x, y, frame) => [
  (2 * x + 5 * frame) & 255,
  (x + y) & 255,
  (3 * y) & 255,
  255,
];

/** Uncorrelated pixels. */
export const confetti: PictureAt = (x, y, frame) => {
  const hash = Math.imul(
    Math.imul(x + 1, 0x9e37_79b1) ^ Math.imul(y + 77 * frame + 1, 0x85eb_ca6b),
    0xc2b2_ae35,
  );
  return [hash >>> 24, (hash >>> 16) & 255, (hash >>> 8) & 255, 255];
};
