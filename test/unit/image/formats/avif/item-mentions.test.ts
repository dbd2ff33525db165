import { describe, expect, it } from 'vitest';
import { maxMentions } from '../../../../../src/image/formats/avif/inspect.ts';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { type BoxTree, boxTrees, laidOut, withBoxes } from '../../../../support/box-trees.ts';
import { plainPicture } from '../../../../support/pictures.ts';
import { be16, be32, bytes } from '../byte-writing.ts';

/** A decoder that looks for an item among those it has for every mention does no more steps than this. */
const maxSteps = 150_000_000;

const leaf = (type: string, content: Uint8Array): BoxTree => ({ type, content, inner: [] });
const repeated = (row: (i: number) => readonly number[], times: number) =>
  bytes(Array.from({ length: times }, (_, i) => row(i)).flat());

/** Boxes that speak of so many items, by the table that they are in. */
const tables: Record<string, (count: number) => BoxTree> = {
  iloc: (count) =>
    leaf(
      'iloc',
      bytes(
        be32(0x0200_0000),
        be16(0x4400),
        be32(count),
        repeated((i) => [...be32(i), ...be16(0), ...be16(0), ...be16(0)], count),
      ),
    ),
  iref: (count) => ({
    type: 'iref',
    content: bytes(be32(0x0100_0000)),
    inner: Array.from({ length: Math.ceil(count / 50_000) }, (_, part) => {
      const own = Math.min(50_000, count - part * 50_000) - 1;
      const ids = repeated((i) => be32(part * 50_000 + i), own);
      return leaf('dimg', bytes(be32(1), be16(own), ids));
    }),
  }),
  ipma: (count) => {
    const rows = repeated((i) => [...be32(i), 0], count);
    return leaf('ipma', bytes(be32(0x0100_0000), be32(count), rows));
  },
  iinf: (count) => {
    const entry = (id: number) =>
      leaf('infe', bytes(be32(0x0300_0000), be32(id), be16(0), 'av01', 0));
    const content = bytes(be32(0x0100_0000), be32(count));
    return { type: 'iinf', content, inner: Array.from({ length: count }, (_, i) => entry(i)) };
  },
};

describe('an AVIF whose item tables speak of very many items', () => {
  it('would cost a decoder a bounded number of steps', () => {
    expect(maxMentions ** 2 / 2).toBeLessThan(maxSteps);
  });

  it.each(Object.keys(tables))('is refused for its %s before any decoder sees it', async (type) => {
    const file = await plainPicture(40, 30).avif().toBuffer();
    const grown = (count: number) => {
      const table = tables[type]?.(count);
      if (!table) throw new Error(`no table ${type}`);
      const more = (box: BoxTree) =>
        box.type === (type === 'ipma' ? 'iprp' : 'meta')
          ? [{ ...box, inner: [...box.inner.filter((each) => each.type !== type), table] }]
          : undefined;
      return inspect(laidOut(withBoxes(boxTrees(file), more)));
    };
    expect(grown(maxMentions + 1)).toMatchObject({
      kind: 'unsupported-feature',
      detail: expect.stringContaining('items'),
    });
    expect(JSON.stringify(grown(100))).not.toContain('of so many items');
  });

  it('is refused where they are those of a track', async () => {
    const file = await plainPicture(40, 30).avif().toBuffer();
    const iloc = tables.iloc?.(maxMentions + 1);
    const meta = { type: 'meta', content: bytes(be32(0)), inner: iloc ? [iloc] : [] };
    const track = { type: 'trak', content: bytes(), inner: [meta] };
    const movie = { type: 'moov', content: bytes(), inner: [track] };
    const whole = laidOut([...boxTrees(file), movie]);
    expect(inspect(whole)).toMatchObject({ kind: 'unsupported-feature' });
  });

  it('is taken with as many cells as the known gaps say', () => {
    const frame = 10;
    // each is in three tables, and the grid refers to it
    expect(4 * 4000 + frame).toBeLessThan(maxMentions);
    // so is its alpha, in a grid of its own; or it refers to its cell, by a list of one
    expect(8 * 2000 + frame).toBeLessThan(maxMentions);
    expect(9 * 1800 + frame).toBeLessThan(maxMentions);
  });
});
