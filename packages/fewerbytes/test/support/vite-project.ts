import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../../../../scripts/local/root.ts';
import { identity } from '../../src/identity.ts';
import { Running } from './command.ts';
import { newFolder } from './folders.ts';

/** A project with Vite and the package. */
export class ViteProject {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @param files by their paths */
  static async create(
    files: Readonly<Record<string, string | Uint8Array>>,
    onEnd: (work: () => Promise<void>) => void,
  ): Promise<ViteProject> {
    const project = new ViteProject(await newFolder(onEnd));
    const modules = join(project.folder, 'node_modules');
    await mkdir(modules);
    for (const name of ['vite', '@types', 'thumbhash']) {
      await symlink(join(root, 'node_modules', name), join(modules, name));
    }
    await symlink(join(root, 'packages/fewerbytes'), join(modules, identity.name));
    await project.write('package.json', '{ "type": "module", "private": true }');
    for (const [path, content] of Object.entries(files)) await project.write(path, content);
    return project;
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  /**
   * Has the plugin in the configuration.
   * @param settings of the plugin, as source
   * @param others of Vite, as source
   */
  configure(settings: string, others = ''): Promise<void> {
    return this.write(
      'vite.config.js',
      `import { optimizeImages } from '${identity.name}/vite';
       export default { plugins: [optimizeImages(${settings})], ${others} };`,
    );
  }

  /** Starts Vite with these settings of the plugin and arguments. */
  async start(
    settings: string,
    environment: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<Running> {
    await this.configure(settings);
    return new Running(['--preserve-symlinks', 'node_modules/vite/bin/vite.js', ...args], {
      cwd: this.folder,
      environment: { NO_COLOR: '1', ...environment },
    });
  }

  /**
   * A build with these settings of the plugin.
   * @returns what Vite printed, without colors
   */
  async build(
    settings = '{}',
    environment: Readonly<Record<string, string>> = {},
    ...args: readonly string[]
  ): Promise<string> {
    const { code, out, err } = await (await this.start(settings, environment, 'build', ...args))
      .ended;
    if (code !== 0) throw new Error(out + err);
    return out + err;
  }
}

/** The files of a page that shows a picture, made of `photo.jpg`, 100 pixels wide; a new one replaces the one shown. */
export function picturePage(query: string) {
  return {
    'index.html': '<!doctype html><main></main><script type="module" src="./main.js"></script>',
    'main.js': `import picture from './photo.jpg${query}';
      const sources = picture.sources
        .map(({ type, srcset }) => \`<source type="\${type}" srcset="\${srcset}" sizes="100px">\`)
        .join('');
      const { src, srcset, width, height } = picture;
      const img = \`<img src="\${src}" srcset="\${srcset}" sizes="100px" width="\${width}" height="\${height}" alt="">\`;
      document.querySelector('main').innerHTML = \`<picture>\${sources}\${img}</picture>\`;
      import.meta.hot?.accept();`,
  };
}
