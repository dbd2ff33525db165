import { describe, expect, it } from 'vitest';
import { flagOf, help, readCommand } from '../../src/command/flags.ts';
import { optionNames } from '../../src/options.ts';

const environment = {
  FEWERBYTES_URL: 'https://images.example/',
  FEWERBYTES_KEY: 'key',
  FEWERBYTES_CACHE: '/cache',
};
const read = (...args: string[]) => readCommand(args, environment);

describe('the command line', () => {
  it('needs nothing but files: all else has a default', () => {
    expect(read('photos')).toEqual({
      kind: 'run',
      inputs: ['photos'],
      url: 'https://images.example',
      key: 'key',
      options: {},
      out: undefined,
      cache: '/cache',
      concurrency: 4,
      keepTime: false,
      watch: false,
      dryRun: false,
      json: false,
    });
  });

  it('takes every option of the service', () => {
    expect(
      read(
        ...['a.png', '-f', 'webp', '-w', '800', '--height', '600', '--fit', 'cover', '-t', 'high'],
        ...['-b', '100000', '--metadata', 'copyright', '--animation', 'first', '--hdr', 'drop'],
        ...['--background', '#ffffff', '-o', 'out', '-c', '8', '--no-cache', '--json'],
      ),
    ).toMatchObject({
      options: {
        format: 'webp',
        width: 800,
        height: 600,
        fit: 'cover',
        target: 'high',
        max_bytes: 100_000,
        metadata: 'copyright',
        animation: 'first',
        hdr: 'drop',
        background: '#ffffff',
      },
      out: 'out',
      cache: false,
      concurrency: 8,
      json: true,
    });
    expect(read('a.png', '--quality', '77')).toMatchObject({ options: { quality: 77 } });
  });

  it.each([
    [[], 'Name files, folders or globs.'],
    [['--bogus', 'a'], "Unknown option '--bogus'."],
    [['a', '--format', 'bogus'], '"format" cannot be "bogus", but: keep, auto, jpeg,'],
    [['a', '--width', '0'], '"width" cannot be "0", but: 1 to 16384.'],
    [['a', '--width', '1e3'], '"width" cannot be "1e3"'],
    [['a', '--max-bytes', '10'], '"max_bytes" cannot be "10", but: 1000 or more.'],
    [['a', '--background', 'red'], '"background" cannot be "red", but: #rrggbb.'],
    [['a', '-q', '77', '-t', 'low'], '"quality" cannot be combined with "target".'],
    [['a', '--fit', 'cover', '-w', '5'], '"fit" can be "cover" only with both'],
    [['a', '--out', ''], '"--out" needs the name of a folder.'],
    [['a', '--cache', ''], '"--cache" needs the name of a folder.'],
    [['a', '-c', '0'], '"concurrency" cannot be "0", but: 1 to 32.'],
    [['a', '--watch', '-n'], '"--watch" cannot be combined with "--dry-run".'],
    [[`fewer_${'a'.repeat(63)}`], 'An API key belongs into FEWERBYTES_KEY'],
  ])('%j is wrong, and the message says what is right', (args, message) => {
    const command = read(...args);
    expect(command.kind).toBe('wrong');
    expect(command).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('asks for FEWERBYTES_URL, but not for a key: the cache may know everything', () => {
    expect(readCommand(['a'], {})).toMatchObject({
      kind: 'wrong',
      message: expect.stringContaining('Set FEWERBYTES_URL'),
    });
    expect(readCommand(['a'], { FEWERBYTES_URL: 'images' })).toMatchObject({
      kind: 'wrong',
      message:
        'FEWERBYTES_URL is not the address of a service: set it to one such as https://images.example.',
    });
    expect(readCommand(['a'], { FEWERBYTES_URL: 'https://images.example' })).toMatchObject({
      kind: 'run',
      key: undefined,
    });
  });

  it.each([
    [[` fewer_${'k'.repeat(40)}`], {}],
    [[`FEWERBYTES_KEY=fewer_${'k'.repeat(40)}`], {}],
    [[`Bearer fewer_${'k'.repeat(40)}`], {}],
    [['a', '--target', `fewer_${'k'.repeat(40)}`], {}],
    [['a', `--key=fewer_${'k'.repeat(40)}`], {}],
    [['a'], { FEWERBYTES_URL: `fewer_${'k'.repeat(40)}` }],
    [['a'], { FEWERBYTES_URL: 'https://user:kkkk@images.example' }],
  ])('%j with %j is wrong, and nothing secret is printed', (args, environment) => {
    const command = readCommand(args, { FEWERBYTES_URL: 'https://images.example', ...environment });
    expect(command.kind).toBe('wrong');
    expect(JSON.stringify(command)).not.toContain('kkkk');
  });

  it('--help fits a screen of 24 lines of 80 characters, and names every option', () => {
    const lines = help.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(23);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
    for (const name of optionNames) expect(help).toContain(`--${flagOf(name)}`);
    expect(help).not.toContain('\x1b');
  });
});
