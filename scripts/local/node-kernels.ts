import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Plugin } from 'rolldown';
import { root } from './root.ts';

/** In the server for Node, a `.wasm` import is a compiled module, of a file beside the code (src/node/kernels.ts). */
export const nodeKernels: Plugin = {
  name: 'node-kernels',
  load: {
    order: 'pre',
    async handler(id) {
      if (!id.endsWith('.wasm')) return null;
      const name = basename(id);
      this.emitFile({ type: 'asset', fileName: name, source: await readFile(id) });
      const code = `
        import { kernel } from ${JSON.stringify(join(root, 'src/node/kernels.ts'))};
        export default kernel(${JSON.stringify(name)}, new URL(${JSON.stringify(`./${name}`)}, import.meta.url));`;
      return { code, moduleType: 'js' };
    },
  },
};
