import { useState } from 'preact/hooks';
import {
  changeText,
  countText,
  dayText,
  imagesText,
  monthAndYearText,
  sizeText,
} from '../../text/formatting.ts';
import { type Failure, failureOf, localFailure } from '../api/failure.ts';
import type { Figures, Statistics } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { DayPlot } from './day-plot.tsx';
import { addedByLarger, axisSize, netText, shareText } from './figures.ts';
import { apiAddress, daysAfterMonths, type Selection } from './range.ts';

/**
 * The usage report for a range: totals, a table of the months kept only as totals, charts and a table of the days, and
 * a CSV download.
 */
export function Report({
  statistics,
  selection,
  isStale,
}: {
  statistics: Statistics;
  selection: Selection;
  /** Whether newer data is loading. */
  isStale: boolean;
}) {
  const { totals, months, from, to } = statistics;
  const days = daysAfterMonths(statistics);
  return (
    <section class="card stack report" aria-label="Usage" aria-busy={isStale}>
      {totals.files === 0 ? (
        <NoFiles title="No images in this range" />
      ) : (
        <>
          <Totals totals={totals} />
          {months.length > 0 && <Months months={months} />}
          {days.some(({ files }) => files > 0) && <Days days={days} />}
        </>
      )}
      <div class="cluster apart">
        <p class="soft" role="status">
          {dayText(from)} to {dayText(to)}. Days start at midnight UTC. Images that do not get at
          least 1% smaller use up no file.
        </p>
        <CsvDownload
          href={apiAddress({ from, to }, selection.keyId, 'csv')}
          fileName={`statistics-${from}-${to}.csv`}
        />
      </div>
    </section>
  );
}

/** Charts of the days, and a table as an accessible and exact alternative. */
function Days({ days }: { days: Statistics['days'] }) {
  const [isOpen, setOpen] = useState(false);
  const names = days.map((day) => day.date);
  return (
    <>
      <DayPlot
        title="Images per day"
        color="--accent"
        days={names}
        values={days.map((day) => day.files)}
        axisText={countText}
        valueText={imagesText}
      />
      <DayPlot
        title="Saved per day"
        color="--sun"
        days={names}
        values={days.map((day) => day.bytes_saved)}
        axisText={axisSize}
        valueText={(bytes) => `${sizeText(bytes)} saved`}
      />
      <details class="all-days" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>All days as a table</summary>
        {isOpen && (
          <PeriodsTable
            caption="Images and sizes by day, newest first"
            column="Day"
            periods={days.map((day) => ({ ...day, name: dayText(day.date) }))}
          />
        )}
      </details>
    </>
  );
}

/** The months whose statistics are no longer kept by day. */
function Months({ months }: { months: Statistics['months'] }) {
  const last = months.at(-1)?.month ?? '';
  return (
    <div class="months">
      <h2>By month</h2>
      <p class="soft">
        Up to {monthAndYearText(last)}, usage is kept by month, not by day. A month counts as a
        whole, even if only some of its days are in the range.
      </p>
      <PeriodsTable
        caption="Images and sizes by month, newest first"
        column="Month"
        periods={months.map((one) => ({ ...one, name: monthAndYearText(one.month) }))}
      />
    </div>
  );
}

/** Received − saved + added = sent back. The share is that of the change in total. */
function Totals({ totals }: { totals: Statistics['totals'] }) {
  const { files, bytes_in, bytes_out, bytes_saved } = totals;
  const added = addedByLarger(totals);
  const net = netText(totals);
  return (
    <div class="stack">
      <dl class="figure-list">
        <div>
          <dt>saved{added === 0 && ` (${shareText(bytes_saved, bytes_in)})`}</dt>
          <dd>{sizeText(bytes_saved)}</dd>
        </div>
        <div>
          <dt>{files === 1 ? 'image' : 'images'}</dt>
          <dd>{countText(files)}</dd>
        </div>
        <div>
          <dt>received</dt>
          <dd>{sizeText(bytes_in)}</dd>
        </div>
        {added > 0 && (
          <div>
            <dt>added by larger formats</dt>
            <dd>{sizeText(added)}</dd>
          </div>
        )}
        <div>
          <dt>sent back{added > 0 && ` (${changeText(bytes_in, bytes_out)})`}</dt>
          <dd>{sizeText(bytes_out)}</dd>
        </div>
      </dl>
      {net !== null && <p class="soft">In total, {net}.</p>}
    </div>
  );
}

/** Shown in place of statistics, with links to get started. */
export function NoFiles({ title }: { title: string }) {
  return (
    <div class="empty stack">
      <h2>{title}</h2>
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

/** A table of days or months, newest first. */
function PeriodsTable({
  caption,
  column,
  periods,
}: {
  caption: string;
  /** Heading of the column of names. */
  column: string;
  /** Oldest first. */
  periods: readonly (Figures & { readonly name: string })[];
}) {
  const isAnyLarger = periods.some((period) => addedByLarger(period) > 0);
  return (
    <table class="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{column}</th>
          {['Images', 'In', 'Saved', ...(isAnyLarger ? ['Added'] : []), 'Out'].map((name) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {periods.toReversed().map((period) => (
          <tr key={period.name} class={period.files === 0 ? 'soft' : undefined}>
            <th scope="row">{period.name}</th>
            <td class="number">{countText(period.files)}</td>
            <td class="number">{sizeText(period.bytes_in)}</td>
            <td class="number">{sizeText(period.bytes_saved)}</td>
            {isAnyLarger && <td class="number">{sizeText(addedByLarger(period))}</td>}
            <td class="number">{sizeText(period.bytes_out)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
