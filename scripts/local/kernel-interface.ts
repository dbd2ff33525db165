/** Maximum line length for which biome keeps a declaration on one line. */
const lineWidth = 100;

/**
 * Generates the TypeScript module that declares the exports of a kernel.
 *
 * @param name name of the kernel, such as `png`
 * @param bindings declarations that asc writes with `--bindings raw`, whose comments contain the AssemblyScript types
 * @param constants numbers that the kernel exports
 */
export function kernelInterface(
  name: string,
  bindings: string,
  constants: Readonly<Record<string, number>> = {},
): string {
  const methods = bindings.split('/**').flatMap((part) => {
    const [, method] = /export function (\w+)\(/.exec(part) ?? [];
    if (!method) return [];
    const parameters = Array.from(
      part.matchAll(/@param (\w+) `(\w+)`/g),
      ([, parameter = '', type = '']) => `${parameter}: ${parameterType(type)}`,
    );
    const [, result] = /@returns `(\w+)`/.exec(part) ?? [];
    return methodLines(method, parameters, result ? resultType(result) : 'void');
  });
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}KernelExports`;
  return `/**
 * What kernel/index.ts exports, where each function is documented. Written by scripts/build-kernels.ts;
 * do not edit. Pointers are offsets in the kernel's memory. A boolean arrives as 0 or 1.
 */
export interface ${title} {
${methods.join('\n')}
}
${constantLines(constants)}`;
}

function constantLines(constants: Readonly<Record<string, number>>): string {
  const entries = Object.entries(constants);
  if (entries.length === 0) return '';
  const lines = entries.map(([constant, value]) => `  ${constant}: ${value},\n`);
  return `
/** Numbers that kernel/index.ts exports, where each is documented. */
export const kernelConstants = {
${lines.join('')}} as const;
`;
}

function methodLines(method: string, parameters: readonly string[], result: string): string {
  const line = `  ${method}(${parameters.join(', ')}): ${result};`;
  if (line.length <= lineWidth) return line;
  return `  ${method}(\n${parameters.map((each) => `    ${each},\n`).join('')}  ): ${result};`;
}

function parameterType(type: string): string {
  return type === 'bool' ? 'boolean | number' : numberType(type);
}

function resultType(type: string): string {
  return type === 'bool' ? '0 | 1' : numberType(type);
}

function numberType(type: string): string {
  if (type === 'i64' || type === 'u64') return 'bigint';
  if (/^([iu](8|16|32|size)|[ui]size|f32|f64)$/.test(type)) return 'number';
  throw new Error(`JavaScript has no value for ${type}.`);
}
