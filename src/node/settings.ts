import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parsedWith } from '../config-checks.ts';
import { settings as common } from '../settings.ts';
import { parseProxies } from './http/client-address.ts';
import { isMailUrl } from './mail.ts';

interface NodeSetting {
  readonly default: string;
  /** The default in words, if it depends on the machine or is nothing. */
  readonly defaultInWords?: string;
  /** For operators, in Markdown without links. */
  readonly description: string;
  /** Parses the text, or states what it should look like. */
  readonly check: z.ZodType;
}

const wholeNumber = (min: number, max: number, complaint: string) =>
  parsedWith((text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : null;
  }, complaint);

const minMemoryMib = 96;

/**
 * The settings that only the service on Node has, beside those of src/settings.ts. The documentation is generated from
 * this table.
 */
export const nodeSettings = {
  STATE_DIR: {
    default: './data',
    description: 'Folder of everything that the service keeps.',
    check: parsedWith((text) => resolve(text), 'should be a folder'),
  },
  PORT: {
    default: '8787',
    description: 'Port that the service listens on.',
    check: wholeNumber(0, 65_535, 'should be a number from 0 to 65535'),
  },
  HOST: {
    default: '127.0.0.1',
    description:
      'Address that the service listens on: `0.0.0.0` or `::` for all of the machine, which requires `PUBLIC_ORIGIN`.',
    check: parsedWith(
      (text) => (/^[\w.:-]+$/.test(text) ? text : null),
      'should be an address such as "127.0.0.1" or "0.0.0.0"',
    ),
  },
  TRUSTED_PROXIES: {
    default: '',
    description:
      'Addresses and CIDR ranges of your own proxies, comma-separated: the client is the first address from the right of `X-Forwarded-For` that is not among them.',
    check: parsedWith(
      parseProxies,
      'should be addresses or ranges such as "10.0.0.0/8, ::1", comma-separated',
    ),
  },
  MAIL_URL: {
    default: '',
    defaultInWords: 'none: mails are shown in the terminal',
    description:
      'Mail server: `smtp://` (with STARTTLS, port 587) or `smtps://` (port 465), as `smtps://user:password@mail.example:465`. Special characters of user and password are percent-encoded.',
    check: parsedWith(
      (text) => (text === '' || isMailUrl(text) ? text : null),
      'should be a URL such as "smtps://user:password@mail.example:465"',
    ),
  },
  THREADS: {
    default: String(Math.max(1, availableParallelism() - 1)),
    defaultInWords: 'cores − 1, at least 1',
    description: 'Threads that images are processed in.',
    check: wholeNumber(1, 256, 'should be a number from 1 to 256'),
  },
  MEMORY_MIB: {
    default: '256',
    description: `Memory for images in each thread, and for bodies and responses beside them, in MiB: at least ${minMemoryMib}.`,
    check: wholeNumber(minMemoryMib, 16_384, `should be a number of at least ${minMemoryMib}`),
  },
  RESULTS_MIB: {
    default: '10240',
    description:
      'Disk space for kept results of images by URL, in MiB: beyond it, those that were written longest ago are deleted every hour, and made again when they are asked for.',
    check: wholeNumber(0, 999_999_999, 'should be a number'),
  },
} as const satisfies Record<string, NodeSetting>;

type Table = typeof nodeSettings;

const schema = z.object(
  Object.fromEntries(
    Object.entries(nodeSettings).map(([name, { check }]) => [name, check]),
  ) as unknown as { [Name in keyof Table]: Table[Name]['check'] },
);

/** Settings of the server, parsed. */
export type NodeSettings = z.infer<typeof schema>;

/** The environment of a process; empty values count as absent, unless a setting allows them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The state folder, for commands that need no other setting. */
export function stateFolder({ STATE_DIR }: Environment): string {
  return resolve(STATE_DIR || nodeSettings.STATE_DIR.default);
}

/**
 * Reads the settings of the server.
 * @throws Error that names each invalid variable and what it should look like, but never its value
 */
export function readNodeSettings(environment: Environment): NodeSettings {
  const texts = Object.entries(nodeSettings).map(([name, { default: usual }]) => [
    name,
    environment[name] || usual,
  ]);
  const parsed = schema.safeParse(Object.fromEntries(texts));
  const complaints = parsed.error?.issues.map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
  const isOpen = parsed.success && !isLoopback(parsed.data.HOST);
  if (isOpen && !environment.PUBLIC_ORIGIN) {
    const origin = 'PUBLIC_ORIGIN: is required unless HOST is an address of this machine only';
    return refuse([`${origin}, such as "https://img.example"`]);
  }
  return parsed.success ? parsed.data : refuse(complaints ?? []);
}

function refuse(complaints: readonly string[]): never {
  const lines = complaints.map((complaint) => `  ${complaint}`);
  throw new Error(`The settings cannot be used:\n${lines.join('\n')}`);
}

/** Whether only programs on this machine reach an address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host);
}

/** The settings of src/settings.ts that the environment has, and the defaults of the others. */
export function commonVariables(environment: Environment): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, { default: usual, check }] of Object.entries(common)) {
    const text = environment[name];
    const isAbsent = text === undefined || (text === '' && !check.safeParse('').success);
    const value = isAbsent ? usual : text;
    if (value !== null) variables[name] = value;
  }
  return variables;
}
