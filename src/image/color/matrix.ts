export type Vector = readonly [number, number, number];

/** By rows. */
export type Matrix = readonly [Vector, Vector, Vector];

export function apply(m: Matrix, v: Vector): Vector {
  return [dot(m[0], v), dot(m[1], v), dot(m[2], v)];
}

export function product(a: Matrix, b: Matrix): Matrix {
  const columns = transposed(b);
  return [apply(columns, a[0]), apply(columns, a[1]), apply(columns, a[2])];
}

export function transposed([a, b, c]: Matrix): Matrix {
  return [
    [a[0], b[0], c[0]],
    [a[1], b[1], c[1]],
    [a[2], b[2], c[2]],
  ];
}

/** Not finite where there is none. */
export function inverse([a, b, c]: Matrix): Matrix {
  const bc = cross(b, c);
  const determinant = dot(a, bc);
  return transposed([
    scaled(bc, 1 / determinant),
    scaled(cross(c, a), 1 / determinant),
    scaled(cross(a, b), 1 / determinant),
  ]);
}

export function scaled([x, y, z]: Vector, factor: number): Vector {
  return [x * factor, y * factor, z * factor];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
