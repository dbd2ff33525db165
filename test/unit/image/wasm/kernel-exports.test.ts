import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kernelInterface } from '../../../../scripts/local/kernel-interface.ts';
import jpeg from '../../../../src/image/wasm/modules/jpeg.wasm';
import metric from '../../../../src/image/wasm/modules/metric.wasm';
import png from '../../../../src/image/wasm/modules/png.wasm';
import webp from '../../../../src/image/wasm/modules/webp.wasm';

const image = join(import.meta.dirname, '../../../../src/image');

/** Missing in the types of Workers. */
const { exports } = WebAssembly.Module as unknown as {
  exports(module: WebAssembly.Module): { name: string; kind: string }[];
};

describe('what TypeScript knows of a kernel', () => {
  it.each([
    ['formats/jpeg', jpeg],
    ['formats/png', png],
    ['formats/webp', webp],
    ['metric', metric],
  ])('is what that of %s exports', (room, module) => {
    const text = readFileSync(join(image, room, 'kernel-exports.ts'), 'utf8');
    const declared = Array.from(text.matchAll(/^ {2}(\w+)\(/gm), ([, method]) => method);
    const functions = exports(module).filter(({ kind }) => kind === 'function');
    expect(declared.toSorted()).toEqual(functions.map((each) => each.name).toSorted());
  });

  it('has the types of JavaScript', () => {
    const bindings = `
      /**
       * kernel/index/take
       * @param at \`usize\`
       * @param isLast \`bool\`
       * @returns \`bool\`
       */
      export function take(at: number, isLast: boolean): boolean;
      /**
       * kernel/index/begin
       */
      export function begin(): void;`;
    expect(kernelInterface('png', bindings)).toContain(`PngKernelExports {
  take(at: number, isLast: boolean | number): 0 | 1;
  begin(): void;
}`);
  });

  it('has the numbers that a kernel exports', () => {
    expect(kernelInterface('png', '', { sound: 0, lastFrame: 1 })).toContain(`kernelConstants = {
  sound: 0,
  lastFrame: 1,
} as const;`);
  });
});
