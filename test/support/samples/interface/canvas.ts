import { clamp, mix, smoothstep } from '../arithmetic.ts';
import { createRaster, type Raster } from '../raster.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** The distance from a point to a shape's edge, negative inside. */
type Distance = (x: number, y: number) => number;

/**
 * An opaque RGB drawing surface. Lengths are in design units, `scale` pixels each; colours are
 * 0xRRGGBB. Edges are smoothed from the distance to the shape, the coverage of a pixel cut by a
 * straight edge near its middle.
 */
export class Canvas {
  readonly raster: Raster;
  readonly #scale: number;

  constructor(width: number, height: number, scale: number, ground: number) {
    this.raster = createRaster(width, height, 3);
    this.#scale = scale;
    const { data } = this.raster;
    for (let index = 0; index < data.length; index += 3) {
      data[index] = ground >> 16;
      data[index + 1] = (ground >> 8) & 255;
      data[index + 2] = ground & 255;
    }
  }

  /** A filled rectangle with round corners. */
  box(box: Box, radius: number, color: number, opacity = 1): void {
    this.#shape(box, boxDistance(box, radius), color, opacity);
  }

  /** The outline of such a rectangle, inside its edge. */
  frame(box: Box, radius: number, thickness: number, color: number): void {
    const edge = boxDistance(box, radius);
    this.#shape(box, (x, y) => Math.abs(edge(x, y) + thickness / 2) - thickness / 2, color, 1);
  }

  /** The shadow that the rectangle casts; `blur` is the reach to either side of its edge. */
  shadow(box: Box, radius: number, blur: number, opacity: number): void {
    const edge = boxDistance(box, radius);
    const bounds = grow(box, blur);
    this.#each(bounds, (x, y) => opacity * smoothstep(blur, -blur, edge(x, y)), 0x1a2440);
  }

  disc(centre: Point, radius: number, color: number): void {
    const bounds = grow({ ...centre, width: 0, height: 0 }, radius);
    const edge: Distance = (x, y) => length(x - centre.x, y - centre.y) - radius;
    this.#shape(bounds, edge, color, 1);
  }

  /** A line through the points with round ends and joints, covered once where it meets itself. */
  line(points: readonly Point[], thickness: number, color: number): void {
    const bounds = grow(boundsOf(points), thickness);
    this.#shape(bounds, (x, y) => lineDistance(points, x, y) - thickness / 2, color, 1);
  }

  /** The area between points sorted by x and a level below, fading towards it. */
  area(points: readonly Point[], level: number, color: number, opacity: number): void {
    const top = boundsOf(points);
    const bounds = { ...top, height: level - top.y };
    this.#each(
      bounds,
      (x, y) => {
        const edge = heightAt(points, x);
        const cover = clamp((y - edge) * this.#scale + 0.5, 0, 1);
        return cover * opacity * clamp((level - y) / bounds.height, 0, 1);
      },
      color,
    );
  }

  #shape(bounds: Box, distance: Distance, color: number, opacity: number): void {
    const scale = this.#scale;
    this.#each(bounds, (x, y) => opacity * clamp(0.5 - distance(x, y) * scale, 0, 1), color);
  }

  #each(bounds: Box, opacity: (x: number, y: number) => number, color: number): void {
    const { width, height, data } = this.raster;
    const scale = this.#scale;
    const left = Math.max(0, Math.floor(bounds.x * scale) - 1);
    const right = Math.min(width, Math.ceil((bounds.x + bounds.width) * scale) + 1);
    const top = Math.max(0, Math.floor(bounds.y * scale) - 1);
    const bottom = Math.min(height, Math.ceil((bounds.y + bounds.height) * scale) + 1);
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) {
        const share = opacity((column + 0.5) / scale, (row + 0.5) / scale);
        if (share <= 0) continue;
        const index = (row * width + column) * 3;
        data[index] = Math.round(mix(data[index] ?? 0, color >> 16, share));
        data[index + 1] = Math.round(mix(data[index + 1] ?? 0, (color >> 8) & 255, share));
        data[index + 2] = Math.round(mix(data[index + 2] ?? 0, color & 255, share));
      }
    }
  }
}

function boxDistance(box: Box, radius: number): Distance {
  const halfWidth = box.width / 2;
  const halfHeight = box.height / 2;
  const round = Math.min(radius, halfWidth, halfHeight);
  return (x, y) => {
    const right = Math.abs(x - box.x - halfWidth) - halfWidth + round;
    const down = Math.abs(y - box.y - halfHeight) - halfHeight + round;
    const outside = length(Math.max(right, 0), Math.max(down, 0));
    return outside + Math.min(Math.max(right, down), 0) - round;
  };
}

function lineDistance(points: readonly Point[], x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  let from = points[0];
  for (const to of points) {
    if (from === undefined) break;
    const along = { x: to.x - from.x, y: to.y - from.y };
    const square = along.x * along.x + along.y * along.y;
    const reach = (x - from.x) * along.x + (y - from.y) * along.y;
    const share = square === 0 ? 0 : clamp(reach / square, 0, 1);
    nearest = Math.min(nearest, length(x - from.x - share * along.x, y - from.y - share * along.y));
    from = to;
  }
  return nearest;
}

function heightAt(points: readonly Point[], x: number): number {
  let from = points[0];
  for (const to of points) {
    if (from !== undefined && to.x >= x && to.x > from.x) {
      return mix(from.y, to.y, clamp((x - from.x) / (to.x - from.x), 0, 1));
    }
    from = to;
  }
  return from?.y ?? 0;
}

function boundsOf(points: readonly Point[]): Box {
  const x = Math.min(...points.map((point) => point.x));
  const y = Math.min(...points.map((point) => point.y));
  const right = Math.max(...points.map((point) => point.x));
  const bottom = Math.max(...points.map((point) => point.y));
  return { x, y, width: right - x, height: bottom - y };
}

function grow(box: Box, by: number): Box {
  return { x: box.x - by, y: box.y - by, width: box.width + 2 * by, height: box.height + 2 * by };
}

/** Not `Math.hypot`, whose last bit ECMAScript leaves to the engine. */
function length(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}
