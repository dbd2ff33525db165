import { describe, expect, it } from 'vitest';
import { help, readCommand } from '../../src/command/flags.ts';
import { flagOf, optionNames } from '../../src/options.ts';

const environment = { FEWERBYTES_CACHE: '/cache' };
const named = { FEWERBYTES_URL: 'https://images.example/', FEWERBYTES_KEY: 'key' };
const read = (...args: string[]) => readCommand(args, environment);

describe('the command line', () => {
  it('needs nothing but files and where results go: all else has a default', () => {
    expect(read('photos', '-i')).toEqual({
      kind: 'run',
      inputs: ['photos'],
      service: false,
      options: {},
      out: undefined,
      inPlace: true,
      cache: '/cache',
      concurrency: undefined,
      keepTime: false,
      watch: false,
      dryRun: false,
      json: false,
      html: false,
    });
  });

  it('takes every option', () => {
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
        maxBytes: 100_000,
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
    expect(read('a.png', '-i', '--quality', '77')).toMatchObject({ options: { quality: 77 } });
  });

  it('makes sets with widths: of one image many results, which need no place', () => {
    const flags = ['--widths', '400,800', '--formats', 'avif,keep', '--ratio', '16:9', '-t', 'low'];
    const command = read('a.png', ...flags, '--position', 'top', '--html', '--sizes', '50vw');
    expect(command).toMatchObject({
      set: {
        widths: [400, 800],
        formats: ['avif', 'keep'],
        ratio: '16:9',
        target: 'low',
        position: 'top',
      },
      ...{ sizes: '50vw', html: true, inPlace: false, out: undefined },
    });
    expect(command).not.toHaveProperty('options');
    expect(read('a.png', '--widths', '9', '-o', 'out')).toMatchObject({ set: { widths: [9] } });
  });

  it.each([
    [[], 'Name files, folders or globs.'],
    [['--bogus', 'a'], "Unknown option '--bogus'."],
    [['a', '--format', 'bogus'], 'Option "format": should be keep, auto, jpeg,'],
    [['a', '--width', '0'], 'Option "width": should be 1 to 16384.'],
    [['a', '--width', '1e3'], 'Option "width": should be 1 to 16384.'],
    [['a', '--max-bytes', '10'], 'Option "maxBytes": should be 1000 or more.'],
    [['a', '--background', 'red'], 'Option "background": should be #rrggbb.'],
    [['a', '-q', '77', '-t', 'low'], 'Option "target": cannot be combined with quality.'],
    [['a', '--fit', 'cover', '-w', '5'], 'Option "fit": cover needs both width and height.'],
    [['a', '--out', ''], '"--out" needs the name of a folder.'],
    [['a', '--cache', ''], '"--cache" needs the name of a folder.'],
    [['a', '-c', '0'], '"concurrency" cannot be "0", but: 1 to 32.'],
    [['a', '--watch', '-n'], '"--watch" cannot be combined with "--dry-run".'],
    [['a', '-i', '-o', 'out'], '"--in-place" cannot be combined with "--out".'],
    [['a', '--widths', '800,400'], 'Option "widths": lists 1 to 10 widths from 1 to 16384, asc'],
    [['a', '--widths', '1e3'], 'Option "widths": lists 1 to 10 widths from 1 to 16384, asc'],
    [['a', '--widths', ''], 'Option "widths": lists 1 to 10 widths from 1 to 16384, asc'],
    [['a', '--widths', '9', '--formats', 'bmp'], 'Option "formats": lists 1 to 4 formats, or keep'],
    [['a', '--widths', '9', '--formats', ''], 'Option "formats": lists 1 to 4 formats, or keep'],
    [['a', '--widths', '9', '--ratio', '16/9'], 'Option "ratio": is two numbers such as 16:9.'],
    [['a', '--widths', '9', '--fit', 'cover'], 'Option "fit": needs a ratio.'],
    [['a', '--widths', '9', '-w', '9'], '"--widths" cannot be combined with "--width".'],
    [['a', '--widths', '9', '-f', 'webp'], '"--widths" cannot be combined with "--format".'],
    [['a', '--widths', '9', '-i'], '"--widths" cannot be combined with "--in-place".'],
    [['a', '--widths', '9', '--html', '--json'], '"--html" cannot be combined with "--json".'],
    [['a', '-i', '--formats', 'webp'], '"--formats" needs "--widths".'],
    [['a', '-i', '--ratio', '1:1'], '"--ratio" needs "--widths".'],
    [['a', '-i', '--html'], '"--html" needs "--widths".'],
    [['a', '-i', '--sizes', '50vw'], '"--sizes" needs "--widths".'],
    [['a', '--service', '--local'], '"--service" cannot be combined with "--local".'],
    [['a', '-i', '--service'], 'FEWERBYTES_URL is not set: it is the address of the service'],
    [['a', '--watch'], 'Say where the results go'],
    [[`fewer_${'a'.repeat(63)}`], 'An API key belongs into FEWERBYTES_KEY'],
  ])('%j is wrong, and the message says what is right', (args, message) => {
    const command = read(...args);
    expect(command.kind).toBe('wrong');
    expect(command).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('without a place for the results shows both commands, as a shell takes them', () => {
    expect(read('my photos/', "it's.png", '-w', '800')).toEqual({
      kind: 'wrong',
      message: [
        'Say where the results go: into the place of the images, or into a folder.',
        String.raw`  fewerbytes --in-place 'my photos/' 'it'\''s.png' -w 800`,
        String.raw`  fewerbytes --out smaller 'my photos/' 'it'\''s.png' -w 800`,
      ].join('\n'),
    });
  });

  it('asks a service if the environment names it with a key, or if it is told to, and otherwise none', () => {
    const service = { service: true, url: 'https://images.example', key: 'key' };
    expect(readCommand(['a', '-i'], named)).toMatchObject(service);
    expect(readCommand(['a', '-i', '--service'], named)).toMatchObject(service);
    for (const [flags, environment] of [
      [['--local'], named],
      [[], { FEWERBYTES_URL: 'https://images.example' }],
      [[], { FEWERBYTES_KEY: 'key' }],
    ] as const) {
      const command = readCommand(['a', '-i', ...flags], environment);
      expect(command).toMatchObject({ kind: 'run', service: false });
      expect(command).not.toHaveProperty('url');
    }
    expect(readCommand(['a', '-i'], { ...named, FEWERBYTES_URL: 'images' })).toMatchObject({
      kind: 'wrong',
      message:
        'FEWERBYTES_URL is not the address of a service: set it to one such as https://images.example.',
    });
    const withoutKey = { FEWERBYTES_URL: 'https://images.example' };
    expect(readCommand(['a', '-i', '--service'], withoutKey)).toMatchObject({
      kind: 'wrong',
      message: expect.stringContaining('FEWERBYTES_KEY is not set'),
    });
  });

  it.each([
    [[` fewer_${'k'.repeat(40)}`], {}],
    [[`FEWERBYTES_KEY=fewer_${'k'.repeat(40)}`], {}],
    [[`Bearer fewer_${'k'.repeat(40)}`], {}],
    [['a', '--target', `fewer_${'k'.repeat(40)}`], {}],
    [['a', `fewer_${'k'.repeat(20)}`], {}],
    [['a', `--key=fewer_${'k'.repeat(40)}`], {}],
    [['a', '-i'], { FEWERBYTES_URL: `fewer_${'k'.repeat(40)}` }],
    [['a', '-i'], { FEWERBYTES_URL: 'https://user:kkkk@images.example' }],
  ])('%j with %j is wrong, and nothing secret is printed', (args, environment) => {
    const command = readCommand(args, { ...named, ...environment });
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
