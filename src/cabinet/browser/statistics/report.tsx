import { useState } from 'preact/hooks';
import { countText, dayText, filesText, sizeText } from '../../text/formatting.ts';
import { type Failure, failureOf, localFailure } from '../api/failure.ts';
import type { Statistics } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { DayPlot } from './day-plot.tsx';
import { axisSize, shareText } from './plot-text.ts';
import { apiAddress, type Selection } from './range.ts';

/** The usage report for a range: totals, charts and a table of days. */
export function Report({
  statistics,
  selection,
  isStale,
}: {
  statistics: Statistics;
  selection: Selection;
  /** Newer data is loading. */
  isStale: boolean;
}) {
  const { totals, days, from, to } = statistics;
  return (
    <section class="card stack report" aria-label="Usage" aria-busy={isStale}>
      <div class="cluster apart">
        <p class="soft" role="status">
          {dayText(from)} to {dayText(to)}. Days start at midnight UTC.
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
        <dt>received</dt>
        <dd>{sizeText(totals.bytes_in)}</dd>
      </div>
      <div>
        <dt>sent back</dt>
        <dd>{sizeText(totals.bytes_out)}</dd>
      </div>
      <div>
        <dt>saved ({shareText(totals.bytes_saved, totals.bytes_in)})</dt>
        <dd class="saved">{sizeText(totals.bytes_saved)}</dd>
      </div>
    </dl>
  );
}

function NothingYet() {
  return (
    <div class="empty stack">
      <h2>No files in this range</h2>
      <p>
        Usage appears here as soon as images are optimized. Try one of your own images, or connect
        your server with an API key.
      </p>
      <p class="cluster">
        <a class="button primary" href="/cabinet/try">
          Try an image
        </a>
        <a class="button" href="/cabinet/keys">
          Go to keys
        </a>
      </p>
    </div>
  );
}

/** A download link. The file is fetched with JavaScript, because browsers do not report why a download failed. */
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
      setFailure(localFailure('offline'));
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

/** A table of all days, as an accessible and exact alternative to the charts. */
function DaysTable({ days }: { days: Statistics['days'] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="all-days" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All days as a table</summary>
      {isOpen && (
        <table class="table">
          <caption class="visually-hidden">Files and sizes by day, newest first</caption>
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
