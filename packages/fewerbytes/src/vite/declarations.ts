import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../files/write.ts';
import { identity } from '../identity.ts';

const head = `// The imports of pictures in this project, for TypeScript. The Vite plugin of ${identity.name} adds what it finds: commit this file.`;

/** A declared query, in the quotes of a formatter as well. */
const declared = /^declare module (["'])\*(\?.*?)\1/gm;

/**
 * A file with a declaration for each query of a picture. TypeScript allows one asterisk in the name of a module, so that
 * the path can be any, but each query has to be there as it is written.
 */
export class Declarations {
  readonly #path: string;
  #queries: Promise<Set<string>> | null = null;
  /** Files are written one after the other. */
  #written: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Adds a query, unless it is there. None is ever removed: a build or a visit of a page may see only some of them.
   * @throws Error if the file is another one, or cannot be written
   */
  async add(query: string): Promise<void> {
    this.#queries ??= this.#read();
    const queries = await this.#queries;
    if (!queries.has(query)) {
      queries.add(query);
      const last = this.#written.catch(() => {});
      this.#written = last.then(() => this.#write([...queries]));
    }
    await this.#written;
  }

  async #read(): Promise<Set<string>> {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    if (text !== '' && !text.startsWith(head)) {
      throw new Error(`${this.#path} is another file: name one for the types of pictures.`);
    }
    return new Set(Array.from(text.matchAll(declared), ([, , query = '']) => query));
  }

  async #write(queries: readonly string[]): Promise<void> {
    const modules = queries.toSorted().map(
      (query) => `
declare module ${JSON.stringify(`*${query}`)} {
  const picture: import('${identity.name}/vite').Picture;
  export default picture;
}
`,
    );
    try {
      await makeFolder(dirname(this.#path));
      await writeFile(this.#path, `${head}\n${modules.join('')}`);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const message = `${this.#path} cannot be written (${code}): name another file for the types of pictures, or none.`;
      throw new Error(message, { cause });
    }
  }
}
