import type { Box, Canvas } from './canvas.ts';
import { drawCard } from './cards.ts';
import { write } from './lettering.ts';
import { PALETTE } from './palette.ts';

const ROWS = [
  [
    'harbour_evening.jpg',
    '4032 x 3024',
    '3.84 MB',
    '1.92 MB',
    'Done',
    PALETTE.teal,
    PALETTE.paleTeal,
  ],
  [
    'checkout-mockup.png',
    '2560 x 1600',
    '1.27 MB',
    '418 KB',
    'Done',
    PALETTE.teal,
    PALETTE.paleTeal,
  ],
  [
    'team/portrait_07.webp',
    '1200 x 1500',
    '236 KB',
    '171 KB',
    'Done',
    PALETTE.teal,
    PALETTE.paleTeal,
  ],
  [
    'hero-banner.avif',
    '3840 x 1280',
    '612 KB',
    '498 KB',
    'Running',
    PALETTE.blue,
    PALETTE.paleBlue,
  ],
  ['scan_0042.png', '9921 x 7016', '84.1 MB', '-', 'Too large', PALETTE.coral, PALETTE.paleCoral],
] as const;

const HEADINGS = [
  ['File', 22],
  ['Pixels', 300],
  ['Before', 480],
  ['After', 620],
  ['State', 760],
] as const;

/** The list of the last pictures: names, numbers, and a coloured state each. */
export function drawTable(canvas: Canvas, box: Box): void {
  drawCard(canvas, box, 'Last pictures');
  const faint = { size: 9, color: PALETTE.faint };
  for (const [heading, x] of HEADINGS)
    write(canvas, heading, { x: box.x + x, y: box.y + 62 }, faint);
  const height = (box.height - 82) / ROWS.length;
  for (const [index, [file, pixels, before, after, state, color, pale]] of ROWS.entries()) {
    const top = box.y + 74 + index * height;
    const y = top + height / 2 + 5;
    canvas.box(
      { x: box.x + 22, y: Math.round(top), width: box.width - 44, height: 1 },
      0,
      PALETTE.rule,
    );
    write(canvas, file, { x: box.x + 22, y }, { size: 10, color: PALETTE.ink });
    const number = { size: 10, color: PALETTE.faint };
    write(canvas, pixels, { x: box.x + 300, y }, number);
    write(canvas, before, { x: box.x + 480, y }, number);
    write(canvas, after, { x: box.x + 620, y }, number);
    canvas.box({ x: box.x + 756, y: y - 16, width: 92, height: 22 }, 11, pale);
    write(
      canvas,
      state,
      { x: box.x + 802, y: y - 0.5 },
      { size: 9, color, align: 'centre', weight: 0.15 },
    );
  }
}
