import { useState } from 'preact/hooks';
import { countText, dayText, filesText, sizeText } from '../../text/formatting.ts';
import { type Failure, failureOf, ownFailure } from '../api/failure.ts';
import type { Statistics } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { DayPlot } from './day-plot.tsx';
import { axisSize, shareText } from './plot-text.ts';
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

/** A link to figures as a file. It is fetched here, since browsers do not say why a download failed. */
function CsvDownload({ href, fileName }: { href: string; fileName: string }) {
  const [failure, setFailure] = useState<Failure | null>(null);

  async function save(event: MouseEvent) {
    event.preventDefault();
    setFailure(null);
    try {
      const response = await fetch(href);
      if (response.ok) saveAs(await response.blob(), fileName);
      else setFailure(await failureOf(response));
    } catch {
      setFailure(ownFailure('offline'));
    }
  }

  return (
    <div class="stack">
      <a class="button small" href={href} download={fileName} onClick={save}>
        Download CSV
      </a>
      <FailureNotice failure={failure} />
    </div>
  );
}

function saveAs(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Every day in figures, for whoever cannot use a plot or wants to know exactly. */
function DaysTable({ days }: { days: Statistics['days'] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="all-days" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All days as a table</summary>
      {isOpen && (
        <table class="table">
          <caption class="visually-hidden">Files and sizes by day, the newest first</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {['Files', 'In', 'Out', 'Saved'].map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.date} class={day.files === 0 ? 'soft' : undefined}>
                <th scope="row">{dayText(day.date)}</th>
                <td class="number">{countText(day.files)}</td>
                <td class="number">{sizeText(day.bytes_in)}</td>
                <td class="number">{sizeText(day.bytes_out)}</td>
                <td class="number">{sizeText(day.bytes_saved)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
