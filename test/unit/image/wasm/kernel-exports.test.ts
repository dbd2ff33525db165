import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kernelInterface } from '../../../../scripts/local/kernel-interface.ts';
import jpeg from '../../../../src/image/wasm/modules/jpeg.wasm';
import png from '../../../../src/image/wasm/modules/png.wasm';
import webp from '../../../../src/image/wasm/modules/webp.wasm';

const formats = join(import.meta.dirname, '../../../../src/image/formats');

/** Missing in the types of Workers. */
const { exports } = WebAssembly.Module as unknown as {
  exports(module: WebAssembly.Module): { name: string; kind: string }[];
};

describe('what TypeScript knows of a kernel', () => {
  it.each([
    ['jpeg', jpeg],
    ['png', png],
    ['webp', webp],
  ])('is what that of %s exports', (name, module) => {
    const text = readFileSync(join(formats, name, 'kernel-exports.ts'), 'utf8');
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
