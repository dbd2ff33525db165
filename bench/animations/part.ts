import { inspect } from '../../src/image/formats/registry.ts';
import type { AnimationType } from '../../test/support/animations/timeline.ts';
import type { CorpusFile, Part, Section, Table } from '../harness/section.ts';
import { Scorers } from '../likeness/scorers.ts';
import { eachPicture, evenly } from '../measures/figures.ts';
import { cpuTable } from './cpu.ts';
import { losslessTable, lossyTable } from './gif-tables.ts';
import { keptTable, measuredKept } from './kept.ts';
import { figures, type MeasuredGif, measuredGif } from './measured.ts';
import { hasGif2webp, hasGifsicle } from './peers.ts';
import { failuresOf, reachedTable } from './reached.ts';
import { Subject } from './subject.ts';
import { webpTable } from './webp-table.ts';

/** Bytes, scores and CPU time of animations, compared with gifsicle and gif2webp. */
export const animations: Part = {
  name: 'animations',
  async measure({ corpus, say, filesEach }): Promise<Section> {
    // This runs before any threads score, because their CPU time would count as well.
    const cpu = cpuTable(say);
    await using scorers = await Scorers.start();
    const measuredAs = <Row>(type: AnimationType, measure: (subject: Subject) => Promise<Row>) => {
      const files = corpus.animations.filter(({ bytes }) => typeOf(bytes) === type);
      const some = evenly(files, filesEach ?? files.length);
      const rowOf = async (file: CorpusFile) => measure(await Subject.of(file, type, scorers));
      return eachPicture(some, rowOf, say);
    };
    const gifs = await measuredAs('gif', measuredGif);
    const pngs = await measuredAs('png', measuredKept);
    const webps = await measuredAs('webp', measuredKept);
    const reached = [
      ...gifs.results.flatMap((gif) => gif.reached),
      ...[...webps.results, ...pngs.results].map((kept) => kept.reached),
    ];
    return {
      title: 'Animations',
      text: text(gifs.results),
      tables: [
        ...gifTables(gifs.results),
        ...(pngs.results.length > 0 ? [keptTable('APNG', pngs.results)] : []),
        ...(webps.results.length > 0 ? [keptTable('WebP animations', webps.results)] : []),
        reachedTable(reached),
        cpu,
      ],
      plots: [],
      failures: [
        ...[gifs, pngs, webps].flatMap(({ failures }) => failures),
        ...failuresOf(reached),
      ],
    };
  },
};

function typeOf(file: Uint8Array): string | null {
  const looked = inspect(file);
  return looked.kind === 'image' ? looked.image.type : null;
}

/** The tables of GIFs; for programs that are not installed, a note takes the place of the table. */
function gifTables(gifs: readonly MeasuredGif[]): Table[] {
  return [
    ...(hasGifsicle ? [losslessTable(gifs), lossyTable(gifs)] : [absent('gifsicle')]),
    hasGif2webp ? webpTable(gifs) : absent('gif2webp'),
  ];
}

function absent(program: string): Table {
  return { caption: `Nothing beside ${program}, which is not installed`, columns: [''], rows: [] };
}

function text(gifs: readonly MeasuredGif[]): string {
  const fewer = gifs.filter(({ subject }) => subject.compared.length < subject.moments.length);
  return `Animations as the service answers them, beside gifsicle and gif2webp where these are installed. Scores are
SSIMULACRA2 of pictures that sharp has decoded frame by frame, on mid grey where they are transparent, before and after at the
same moments of a play: up to twelve, fewer of large pictures, spread evenly, each in the middle of a frame of the original.
Durations of 10 ms or less count as the 100 ms that browsers make of them. Bytes are compared at the mean score, at some of
these moments where pictures are large (${fewer.length} of ${gifs.length} GIFs); below 1 ours are fewer.

*Produced* is what comes out, however long; *smaller one kept* is that or the original. At equal scores, a peer's bytes lie
between those of its two settings next to the score, by their logarithm: gifsicle has \`-O3\` with \`--lossy\` of 20 to 1000 and
without it, where the original may be kept, gif2webp \`-mixed\` with \`-q\` of 30 to 95, and the shorter of that and \`-q 75\`, which
is without loss. Where ours look better than anything of the peer, its best is what counts (in brackets); where ours look
poorer than its poorest, there is nothing to compare with. Files of one frame and those below 8 pixels count for no median.
\`auto\` aims at 77; quality=${figures.join(' and ')} stand beside it.

The *own metric* is the service's implementation, which results are coded by: of pictures whose sides are below some 200 pixels
the two differ by many points.

*CPU ms* is user and system time of this process, the code compiled. The generated animation is a ball that rolls over a grainy
ground. *Planned* is what the ledger sets aside: arenas and buffers, the result among them.`;
}
