import { clamp } from '../arithmetic.ts';
import type { Random } from '../random.ts';
import type { Box, Canvas, Point } from './canvas.ts';
import { write } from './lettering.ts';
import { PALETTE } from './palette.ts';

/** A white card with a soft shadow, and its title. */
export function drawCard(canvas: Canvas, box: Box, title: string): void {
  canvas.shadow({ ...box, y: box.y + 5 }, 14, 16, 0.085);
  canvas.box(box, 12, PALETTE.card);
  canvas.frame(box, 12, 1, PALETTE.rule);
  write(canvas, title, { x: box.x + 22, y: box.y + 34 }, { size: 11, color: PALETTE.faint });
}

export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly change: string;
  readonly color: number;
  readonly pale: number;
}

/** One large number, its change, and a small line of its last days. */
export function drawFigure(canvas: Canvas, box: Box, figure: Figure, random: Random): void {
  drawCard(canvas, box, figure.title);
  const { x, y } = box;
  write(canvas, figure.value, { x: x + 22, y: y + 78 }, { size: 24, color: PALETTE.ink });
  canvas.box({ x: x + 20, y: y + 92, width: 66, height: 22 }, 11, figure.pale);
  write(
    canvas,
    figure.change,
    { x: x + 53, y: y + 107.5 },
    { size: 9, color: figure.color, align: 'centre', weight: 0.15 },
  );
  const days = walk(random, 14, { x: x + box.width - 104, y: y + 72, width: 82, height: 36 });
  canvas.line(days, 2, figure.color);
}

/** Two lines over a month, the first one filled, with a grid and its numbers. */
export function drawTraffic(canvas: Canvas, box: Box, random: Random): void {
  drawCard(canvas, box, 'Pictures per day');
  const plot = { x: box.x + 62, y: box.y + 62, width: box.width - 88, height: box.height - 112 };
  const bottom = plot.y + plot.height;
  for (let line = 0; line <= 4; line++) {
    const y = bottom - (line / 4) * plot.height;
    canvas.box({ x: plot.x, y, width: plot.width, height: 1 }, 0, PALETTE.rule);
    const label = line === 0 ? '0' : `${line * 5}k`;
    write(
      canvas,
      label,
      { x: plot.x - 14, y: y + 4.5 },
      { size: 9, color: PALETTE.faint, align: 'right' },
    );
  }
  for (let week = 0; week < 5; week++) {
    const x = plot.x + ((week + 0.5) / 5) * plot.width;
    write(
      canvas,
      `Week ${week + 21}`,
      { x, y: bottom + 26 },
      { size: 9, color: PALETTE.faint, align: 'centre' },
    );
  }
  const lower = { ...plot, y: plot.y + plot.height * 0.45, height: plot.height * 0.5 };
  const before = walk(random, 31, { ...plot, height: plot.height * 0.7 });
  const after = walk(random, 31, lower);
  canvas.area(before, bottom, PALETTE.blue, 0.3);
  canvas.line(before, 2.6, PALETTE.blue);
  canvas.line(after, 2.6, PALETTE.coral);
  const last = before[22];
  if (last !== undefined) {
    canvas.disc(last, 7, PALETTE.white);
    canvas.disc(last, 5, PALETTE.blue);
  }
  drawLegend(canvas, { x: box.x + box.width - 216, y: box.y + 34 }, 'Received', PALETTE.blue);
  drawLegend(canvas, { x: box.x + box.width - 108, y: box.y + 34 }, 'Refused', PALETTE.coral);
}

/** Bars of four formats, the saved share beside each. */
export function drawFormats(canvas: Canvas, box: Box): void {
  drawCard(canvas, box, 'Saved by format');
  const rows = [
    ['JPEG', 0.41, PALETTE.blue],
    ['PNG', 0.63, PALETTE.violet],
    ['WebP', 0.27, PALETTE.teal],
    ['AVIF', 0.18, PALETTE.coral],
  ] as const;
  const track = box.width - 44;
  for (const [index, [name, share, color]] of rows.entries()) {
    const y = box.y + 76 + index * ((box.height - 92) / rows.length);
    write(canvas, name, { x: box.x + 22, y }, { size: 10, color: PALETTE.ink });
    write(
      canvas,
      `${Math.round(share * 100)}%`,
      { x: box.x + box.width - 22, y },
      { size: 10, color: PALETTE.faint, align: 'right' },
    );
    canvas.box({ x: box.x + 22, y: y + 10, width: track, height: 10 }, 5, PALETTE.rule);
    canvas.box({ x: box.x + 22, y: y + 10, width: track * share * 1.4, height: 10 }, 5, color);
  }
}

function drawLegend(canvas: Canvas, at: Point, text: string, color: number): void {
  canvas.disc({ x: at.x, y: at.y - 5 }, 5, color);
  write(canvas, text, { x: at.x + 13, y: at.y }, { size: 10, color: PALETTE.faint });
}

/** A random walk that stays in a box, as points from its left to its right side. */
function walk(random: Random, steps: number, box: Box): readonly Point[] {
  let level = 0.3;
  const points: Point[] = [];
  for (let step = 0; step < steps; step++) {
    const share = step / (steps - 1);
    points.push({ x: box.x + share * box.width, y: box.y + (1 - level) * box.height });
    // A pull towards a rising line keeps the walk from wandering off.
    level = clamp(
      level + random.between(-0.19, 0.19) + (0.3 + 0.5 * share - level) * 0.25,
      0.02,
      1,
    );
  }
  return points;
}
