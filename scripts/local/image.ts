import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { execForm, type Stage, wordsOf } from './dockerfile.ts';

/** What a stage has become: its folders on this machine, and how its programs start. */
export interface Image {
  /** Folder of what the stage has added to its base, as it lies in the image. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** User and group, as numbers. */
  readonly user: readonly [number, number];
  readonly volumes: readonly string[];
  readonly healthCheck: readonly string[];
  readonly command: readonly string[];
}

/** Where a stage is made. */
interface Making {
  readonly stage: Stage;
  /** Empty folder for its root. */
  readonly root: string;
  /** Folder of the build context. */
  readonly context: string;
  /** Roots of stages by name. */
  readonly others: ReadonlyMap<string, string>;
  /** Runs a command line as root, with the root of the stage writable, and fails if that fails. */
  run(line: string, image: Image): void;
}

/**
 * Executes the steps of a stage, without its base.
 * @throws Error for an instruction that it does not know
 */
export function makeStage({ stage, root, context, others, run }: Making): Image {
  let image: Image = {
    ...{ root, env: {}, folder: '/', user: [0, 0], volumes: [], healthCheck: [], command: [] },
  };
  for (const { name, text } of stage.steps) {
    const change = changes[name];
    if (change) image = { ...image, ...change(text, image) };
    else if (name === 'COPY') copy(text, image, { context, others });
    else if (name === 'RUN') run(text, image);
    else if (name !== 'EXPOSE') throw new Error(`The instruction ${name} is not known here.`);
    mkdirSync(join(root, image.folder), { recursive: true });
  }
  return image;
}

const changes: Readonly<Record<string, (text: string, image: Image) => Partial<Image>>> = {
  WORKDIR: (text, { folder }) => ({ folder: resolve(folder, text) }),
  ENV: (text, { env }) => {
    const pairs = text.split(/\s+/).map((pair) => pair.split('=') as [string, string]);
    return { env: { ...env, ...Object.fromEntries(pairs) } };
  },
  USER: (text) => {
    const [, user, group] = /^(\d+):(\d+)$/.exec(text) ?? [];
    if (!user || !group) throw new Error(`Not the numbers of a user and a group: ${text}`);
    return { user: [Number(user), Number(group)] };
  },
  VOLUME: (text, { volumes }) => ({ volumes: [...volumes, text] }),
  HEALTHCHECK: (text) => ({ healthCheck: execForm(text) }),
  CMD: (text) => ({ command: execForm(text) }),
};

/** As in Docker: a folder gives its contents, and a target that ends with a slash is a folder. Owners stay as they are. */
function copy(
  text: string,
  { root, folder }: Image,
  { context, others }: Pick<Making, 'context' | 'others'>,
): void {
  const { options, words } = wordsOf(text);
  const origin = options.from === undefined ? context : others.get(options.from);
  const target = words.at(-1);
  if (origin === undefined || target === undefined) throw new Error(`Not understood: COPY ${text}`);
  const place = join(root, resolve(folder, target));
  for (const source of words.slice(0, -1)) {
    const from = join(origin, source);
    const isFolder = statSync(from).isDirectory();
    const to = !isFolder && /\/$/.test(target) ? join(place, basename(from)) : place;
    mkdirSync(isFolder ? to : dirname(to), { recursive: true });
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

/** A program in a root of its own: this machine’s system and Node in place of the base image’s, and what the image adds. */
interface Sandbox {
  readonly image: Image;
  /** Folders by the path at which they can be written. */
  readonly writable: Readonly<Record<string, string>>;
  /** Files and folders by the path at which they can be read, besides. */
  readonly readable: Readonly<Record<string, string>>;
  /** Otherwise, there is only the loopback interface. */
  readonly hasNetwork: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly user: readonly [number, number];
}

/**
 * The command that runs a program under bubblewrap: other processes, users and folders of this machine do not exist in there.
 * @param program its words
 */
export function sandboxed(
  { image, writable, readable, hasNetwork, env, user }: Sandbox,
  program: readonly string[],
): readonly string[] {
  const added = readdirSync(image.root).map((name) => [join(image.root, name), `/${name}`]);
  const all = {
    ...{ PATH: '/base:/usr/local/bin:/usr/bin:/bin', HOME: '/tmp' },
    ...image.env,
    ...env,
  };
  return [
    ...['bwrap', '--unshare-all', ...(hasNetwork ? ['--share-net'] : [])],
    ...['--uid', String(user[0]), '--gid', String(user[1]), '--die-with-parent', '--new-session'],
    ...['--ro-bind', '/usr', '/usr', '--ro-bind', '/etc', '/etc', '--proc', '/proc'],
    ...['--dev', '/dev', '--dir', '/tmp'],
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) =>
      existsSync(`/usr/${name}`) ? ['--symlink', `usr/${name}`, `/${name}`] : [],
    ),
    ...['--ro-bind', process.execPath, '/base/node'],
    ...added.flatMap(([from = '', to = '']) => ['--ro-bind', from, to]),
    ...Object.entries(readable).flatMap(([to, from]) => ['--ro-bind', from, to]),
    ...Object.entries(writable).flatMap(([to, from]) => ['--bind', from, to]),
    ...['--remount-ro', '/', '--chdir', image.folder, '--clearenv'],
    ...Object.entries(all).flatMap(([name, value]) => ['--setenv', name, value]),
    ...program,
  ];
}

/** @throws Error if the command fails */
export function demand([program = '', ...args]: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ended with status ${status}.`);
}
