import { countText, filesText, sizeText } from '../../text/sizes.ts';
import { dayText } from '../../text/times.ts';
import type { Statistics } from '../api/wire.ts';
import { CsvDownload } from './csv-download.tsx';
import { DayPlot } from './day-plot.tsx';
import { DaysTable } from './days-table.tsx';
import { axisSize, shareText } from './plot-labels.ts';
import { apiAddress, type Selection } from './range.ts';

/** What was done in a range: sums, plots, and every day. */
export function Report({
  statistics,
  selection,
  isStale,
}: {
  statistics: Statistics;
  selection: Selection;
  /** Newer figures are on their way. */
  isStale: boolean;
}) {
  const { totals, days, from, to } = statistics;
  return (
    <section class="card stack report" aria-label="Figures" aria-busy={isStale}>
      <div class="cluster apart">
        <p class="soft" role="status">
          {dayText(from)} to {dayText(to)}. Days begin at midnight UTC.
        </p>
        <CsvDownload
          href={apiAddress({ from, to }, selection.keyId, 'csv')}
          fileName={`statistics-${from}-${to}.csv`}
        />
      </div>
      {totals.files === 0 ? (
        <NothingYet />
      ) : (
        <>
          <Totals totals={totals} />
          <DayPlot
            title="Files per day"
            shape="bars"
            days={days.map((day) => day.date)}
            values={days.map((day) => day.files)}
            axisText={countText}
            valueText={filesText}
          />
          <DayPlot
            title="Saved per day"
            shape="line"
            days={days.map((day) => day.date)}
            values={days.map((day) => day.bytes_saved)}
            axisText={axisSize}
            valueText={(bytes) => `${sizeText(bytes)} saved`}
          />
          <DaysTable days={days} />
        </>
      )}
    </section>
  );
}

function Totals({ totals }: { totals: Statistics['totals'] }) {
  return (
    <dl class="figure-list">
      <div>
        <dt>{totals.files === 1 ? 'file' : 'files'}</dt>
        <dd>{countText(totals.files)}</dd>
      </div>
      <div>
        <dt>came in</dt>
        <dd>{sizeText(totals.bytes_in)}</dd>
      </div>
      <div>
        <dt>went out</dt>
        <dd>{sizeText(totals.bytes_out)}</dd>
      </div>
      <div>
        <dt>saved, {shareText(totals.bytes_saved, totals.bytes_in)} of what came in</dt>
        <dd class="saved">{sizeText(totals.bytes_saved)}</dd>
      </div>
    </dl>
  );
}

function NothingYet() {
  return (
    <div class="empty stack">
      <h2>No files on these days</h2>
      <p>
        Figures appear here as soon as pictures are optimized. Start with a picture of your own, or
        let your server do it with a key.
      </p>
      <p class="cluster">
        <a class="button primary" href="/cabinet/try">
          Try a picture
        </a>
        <a class="button" href="/cabinet/keys">
          Go to the keys
        </a>
      </p>
    </div>
  );
}
