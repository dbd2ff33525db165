import { describe, expect, it } from 'vitest';
import {
  nameOf,
  optionsOf,
  plainOptions,
  readCommands,
} from '../../../../src/routes/tinify/commands.ts';

/** The pipeline options for a body; null if it has no commands. */
async function optionsIn(body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const commands = await readCommands(
    new Request('https://img.example', { method: 'POST', body: text }),
  );
  return commands && optionsOf(commands, 'png');
}

describe('commands', () => {
  it.each(['', '{}', ' {} ', '{"preserve":[]}'])('are none in %j', async (body) => {
    expect(await optionsIn(body)).toBe(null);
  });

  it.each([
    [
      { method: 'scale', width: 70 },
      { width: 70, height: null, fit: 'inside' },
    ],
    [
      { method: 'scale', height: 70 },
      { width: null, height: 70, fit: 'inside' },
    ],
    [
      { method: 'fit', width: 70, height: 50 },
      { width: 70, height: 50, fit: 'inside' },
    ],
    [
      { method: 'cover', width: 70, height: 50 },
      { width: 70, height: 50, fit: 'cover', position: 'auto' },
    ],
    [
      { method: 'thumb', width: 70, height: 50 },
      { width: 70, height: 50, fit: 'cover', position: 'auto' },
    ],
  ])('resize by %j', async (resize, options) => {
    expect(await optionsIn({ resize })).toEqual({ ...plainOptions, ...options });
  });

  it.each([
    ['image/webp', { format: 'webp', among: null }],
    [['image/webp'], { format: 'webp', among: null }],
    ['image/jpg', { format: 'jpeg', among: null }],
    [['image/jpeg', 'image/jpg'], { format: 'jpeg', among: null }],
    ['image/png', { format: 'keep', among: null }],
    [['image/webp', 'image/png'], { format: 'auto', among: new Set(['webp', 'png']) }],
    ['*/*', { format: 'auto', among: new Set(['jpeg', 'png', 'webp', 'avif']) }],
  ])('convert to %j', async (type, options) => {
    expect(await optionsIn({ convert: { type } })).toEqual({ ...plainOptions, ...options });
  });

  it('preserve what they name, in whatever order', async () => {
    const preserve = ['location', 'copyright', 'location'];
    expect(await optionsIn({ preserve })).toEqual({
      ...plainOptions,
      metadata: new Set(['copyright', 'location']),
    });
  });

  it.each([
    ['white', [255, 255, 255]],
    ['black', [0, 0, 0]],
    ['#FF8801', [255, 136, 1]],
  ])('lay transparency on %s', async (color, background) => {
    const options = await optionsIn({ transform: { background: color } });
    expect(options).toEqual({ ...plainOptions, background, flattens: true });
  });

  it.each([
    ['{', 'The body should be a JSON object in UTF-8.'],
    ['[]', 'The body should be a JSON object in UTF-8.'],
    ['7', 'The body should be a JSON object in UTF-8.'],
    ['"text"', 'The body should be a JSON object in UTF-8.'],
    [{ preserve: ['author'] }, "Metadata key 'author' not supported"],
    [{ preserve: 'copyright' }, 'preserve should be a list'],
    [{ resize: { method: 'scale' } }, 'resize: scale takes either a width or a height'],
    [{ resize: { method: 'scale', width: 1, height: 1 } }, 'resize: scale takes either'],
    [{ resize: { method: 'fit', width: 1 } }, 'resize: width and height should be whole numbers'],
    [{ resize: { method: 'fit', width: 0, height: 5 } }, 'resize: width and height should be'],
    [{ resize: { method: 'cover', width: 1.5, height: 5 } }, 'resize: width and height should be'],
    [{ resize: { method: 'thumb', width: '5', height: 5 } }, 'resize: width and height should be'],
    [{ resize: { method: 'fit', width: 20_000, height: 5 } }, 'resize: width and height should be'],
    [{ resize: { method: 'crop', width: 5, height: 5 } }, 'resize: method should be'],
    [{ resize: [] }, 'resize: method should be'],
    [{ resize: {} }, 'resize: method should be'],
    [{ convert: {} }, 'convert: type should be'],
    [{ convert: { type: [] } }, 'convert: type should be'],
    [{ convert: { type: 'image/gif' } }, 'convert: type should be'],
    [{ transform: { background: 'red' } }, 'transform: background should be'],
    [{ transform: { background: '#12345' } }, 'transform: background should be'],
    [{ store: { service: 's3' } }, 'Results are not stored elsewhere'],
    [{ crop: {} }, "Option 'crop' not supported"],
    [{ '<script>': 1 }, "Option '?script?' not supported"],
    [{ preserve: [{ toString: 1 }] }, "Metadata key '?' not supported"],
    [{ preserve: [null] }, "Metadata key '?' not supported"],
  ])('that cannot be followed say why: %j', async (body, message) => {
    await expect(optionsIn(body)).rejects.toThrow(message);
  });
});

describe('the name of what commands make', () => {
  const named = async (...all: object[]) =>
    Promise.all(all.map(async (one) => nameOf((await optionsIn(one)) ?? plainOptions)));

  it('is none for what is made without any', async () => {
    const names = await named(
      {},
      { transform: {} },
      { convert: { type: 'image/png' } },
      { convert: { type: ['image/png'] } },
      { preserve: [] },
    );
    expect(new Set(names)).toEqual(new Set([null]));
  });

  it('is one for each way to write the same', async () => {
    const jpegs = await named(
      { convert: { type: 'image/jpg' }, transform: { background: '#FFFFFF' } },
      { transform: { background: 'white' }, convert: { type: ['image/jpeg', 'image/jpg'] } },
    );
    const several = await named(
      { convert: { type: ['image/webp', 'image/avif'] }, preserve: ['location', 'creation'] },
      { preserve: ['creation', 'location'], convert: { type: ['image/avif', 'image/webp'] } },
    );
    for (const names of [jpegs, several]) {
      expect(new Set(names).size).toBe(1);
      expect(names[0]).not.toBe(null);
    }
    expect(jpegs[0]).not.toBe(several[0]);
  });
});
