import { type Box, Canvas } from './interface/canvas.ts';
import { drawFigure, drawFormats, drawTraffic, type Figure } from './interface/cards.ts';
import { write } from './interface/lettering.ts';
import { PALETTE } from './interface/palette.ts';
import { drawTable } from './interface/table.ts';
import { Random } from './random.ts';
import type { Raster } from './raster.ts';

export interface InterfaceOptions {
  readonly width?: number;
  readonly height?: number;
  /** Another seed gives other lines in the charts. */
  readonly seed?: number;
}

const DESIGN_WIDTH = 1280;
const DESIGN_HEIGHT = 800;
const SIDEBAR = 212;
const LEFT = SIDEBAR + 32;
const INNER = DESIGN_WIDTH - LEFT - 32;
const ENTRIES = ['Overview', 'Pictures', 'Access keys', 'Plans', 'Payments', 'Settings'] as const;

const FIGURES: readonly Figure[] = [
  {
    title: 'Pictures',
    value: '128,406',
    change: '+12.4%',
    color: PALETTE.blue,
    pale: PALETTE.paleBlue,
  },
  {
    title: 'Bytes saved',
    value: '37.2 GB',
    change: '+8.1%',
    color: PALETTE.teal,
    pale: PALETTE.paleTeal,
  },
  {
    title: 'Median time',
    value: '184 ms',
    change: '-5.6%',
    color: PALETTE.teal,
    pale: PALETTE.paleTeal,
  },
  {
    title: 'Refused',
    value: '0.93%',
    change: '+0.2%',
    color: PALETTE.coral,
    pale: PALETTE.paleCoral,
  },
];

/**
 * A picture of an application's window, opaque RGB: flat areas, smoothed edges, text, soft shadows.
 * Drawn for 1280 × 800 and scaled to fit other sizes; the rest shows the ground.
 *
 * @throws RangeError when a side is not a positive whole number
 */
export function renderInterface({
  width = DESIGN_WIDTH,
  height = DESIGN_HEIGHT,
  seed = 11,
}: InterfaceOptions = {}): Raster {
  const scale = Math.min(width / DESIGN_WIDTH, height / DESIGN_HEIGHT);
  const canvas = new Canvas(width, height, scale, PALETTE.ground);
  const random = new Random(seed);
  drawSidebar(canvas);
  drawHeading(canvas);
  const gap = 20;
  const cardWidth = (INNER - 3 * gap) / 4;
  for (const [index, figure] of FIGURES.entries()) {
    const box: Box = { x: LEFT + index * (cardWidth + gap), y: 96, width: cardWidth, height: 128 };
    drawFigure(canvas, box, figure, random);
  }
  const wide = cardWidth * 3 + gap * 2;
  drawTraffic(canvas, { x: LEFT, y: 244, width: wide, height: 254 }, random);
  drawFormats(canvas, { x: LEFT + wide + gap, y: 244, width: cardWidth, height: 254 });
  drawTable(canvas, { x: LEFT, y: 518, width: INNER, height: 258 });
  return canvas.raster;
}

function drawSidebar(canvas: Canvas): void {
  canvas.box({ x: 0, y: 0, width: SIDEBAR, height: DESIGN_HEIGHT }, 0, PALETTE.sidebar);
  canvas.box({ x: 28, y: 30, width: 30, height: 30 }, 9, PALETTE.blue);
  canvas.line(
    [
      { x: 36, y: 50 },
      { x: 41, y: 43 },
      { x: 45, y: 47 },
      { x: 50, y: 39 },
    ],
    2.6,
    PALETTE.white,
  );
  write(canvas, 'Lighter', { x: 72, y: 51 }, { size: 14, color: PALETTE.white, weight: 0.15 });
  for (const [index, entry] of ENTRIES.entries()) {
    const y = 104 + index * 46;
    const chosen = index === 0;
    if (chosen) canvas.box({ x: 16, y, width: SIDEBAR - 32, height: 38 }, 9, PALETTE.chosen);
    const color = chosen ? PALETTE.white : PALETTE.sidebarInk;
    canvas.frame({ x: 31, y: y + 12, width: 14, height: 14 }, index % 2 === 0 ? 4 : 7, 2, color);
    write(canvas, entry, { x: 62, y: y + 24 }, { size: 11, color });
  }
  write(canvas, 'Quota of June', { x: 28, y: 712 }, { size: 9, color: PALETTE.sidebarInk });
  canvas.box({ x: 28, y: 726, width: 156, height: 8 }, 4, PALETTE.chosen);
  canvas.box({ x: 28, y: 726, width: 104, height: 8 }, 4, PALETTE.teal);
  write(canvas, '6,671 / 10,000', { x: 28, y: 756 }, { size: 9, color: PALETTE.sidebarInk });
}

function drawHeading(canvas: Canvas): void {
  write(canvas, 'Overview', { x: LEFT, y: 62 }, { size: 20, color: PALETTE.ink, weight: 0.14 });
  const field: Box = { x: 880, y: 34, width: 232, height: 38 };
  canvas.box(field, 19, PALETTE.card);
  canvas.frame(field, 19, 1, PALETTE.rule);
  write(canvas, 'Search by name', { x: 922, y: 57 }, { size: 10, color: PALETTE.faint });
  canvas.frame({ x: 896, y: 46, width: 12, height: 12 }, 6, 2, PALETTE.faint);
  canvas.line(
    [
      { x: 906, y: 56 },
      { x: 910, y: 60 },
    ],
    2,
    PALETTE.faint,
  );
  canvas.box({ x: 1128, y: 34, width: 120, height: 38 }, 19, PALETTE.blue);
  write(
    canvas,
    'Add picture',
    { x: 1188, y: 57.5 },
    { size: 10, color: PALETTE.white, align: 'centre' },
  );
}
