import { mix } from '../arithmetic.ts';
import type { Canvas, Point } from './canvas.ts';
import { GLYPHS } from './glyphs.ts';

/** Units of the glyph grid: the height of capitals, the room between glyphs, a word space. */
const CAPITAL = 12;
const GAP = 3.4;
const SPACE = 4;
const ROUNDINGS = 3;

export interface Style {
  /** Height of capitals, in design units. */
  readonly size: number;
  readonly color: number;
  /** Thickness of the strokes as a share of `size`; 0.13 when left out. */
  readonly weight?: number;
  readonly align?: 'left' | 'right' | 'centre';
}

/**
 * Writes a line of text, `at` being the place of its first glyph's base line.
 *
 * @throws RangeError for a character that has no glyph
 */
export function write(canvas: Canvas, text: string, at: Point, style: Style): void {
  const unit = style.size / CAPITAL;
  const width = widthOf(text) * unit;
  const shift = style.align === 'right' ? width : style.align === 'centre' ? width / 2 : 0;
  let x = at.x - shift;
  for (const character of text) {
    const strokes = strokesOf(character);
    for (const stroke of strokes) {
      const points = stroke.map((point) => ({
        x: x + point.x * unit,
        y: at.y + (point.y - CAPITAL) * unit,
      }));
      canvas.line(points, style.size * (style.weight ?? 0.13), style.color);
    }
    x += (advanceOf(strokes) + GAP) * unit;
  }
}

function widthOf(text: string): number {
  let width = -GAP;
  for (const character of text) width += advanceOf(strokesOf(character)) + GAP;
  return Math.max(0, width);
}

function advanceOf(strokes: readonly (readonly Point[])[]): number {
  if (strokes.length === 0) return SPACE;
  return Math.max(...strokes.flatMap((stroke) => stroke.map((point) => point.x)));
}

function strokesOf(character: string): readonly (readonly Point[])[] {
  if (character === ' ') return [];
  const glyph = GLYPHS.get(character);
  if (glyph === undefined) throw new RangeError(`no glyph for ${JSON.stringify(character)}`);
  return glyph.split(' ').map((stroke) => {
    if (stroke.startsWith('~')) return rounded(pointsOf(stroke.slice(1)));
    if (stroke.startsWith('o')) return roundedRing(pointsOf(stroke.slice(1)));
    return pointsOf(stroke);
  });
}

function pointsOf(digits: string): readonly Point[] {
  const points: Point[] = [];
  for (let index = 0; index + 1 < digits.length; index += 2) {
    points.push({
      x: Number.parseInt(digits.charAt(index), 36),
      y: Number.parseInt(digits.charAt(index + 1), 36),
    });
  }
  return points;
}

/** Cuts corners as Chaikin did (1974); the limit is a quadratic B-spline. Ends stay in place. */
function rounded(points: readonly Point[]): readonly Point[] {
  let result = points;
  for (let rounding = 0; rounding < ROUNDINGS; rounding++) {
    const cut = cutCorners(result);
    result = [...result.slice(0, 1), ...cut.slice(1, -1), ...result.slice(-1)];
  }
  return result;
}

function roundedRing(points: readonly Point[]): readonly Point[] {
  let result = points;
  for (let rounding = 0; rounding < ROUNDINGS; rounding++) {
    result = cutCorners([...result, ...result.slice(0, 1)]);
  }
  return [...result, ...result.slice(0, 1)];
}

/** Two points for each side, at its first and its last quarter. */
function cutCorners(points: readonly Point[]): readonly Point[] {
  const cut: Point[] = [];
  let from: Point | undefined;
  for (const to of points) {
    if (from !== undefined) cut.push(between(from, to, 0.25), between(from, to, 0.75));
    from = to;
  }
  return cut;
}

function between(from: Point, to: Point, share: number): Point {
  return { x: mix(from.x, to.x, share), y: mix(from.y, to.y, share) };
}
