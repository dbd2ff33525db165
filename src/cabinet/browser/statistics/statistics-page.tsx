import '../../design/statistics.css';
import { useLocation } from 'preact-iso';
import { useLoaded } from '../api/use-loaded.ts';
import type { Statistics } from '../api/wire.ts';
import { Loading } from '../parts/loading.tsx';
import { KeyPicker } from './key-picker.tsx';
import { KeysTable } from './keys-table.tsx';
import { apiAddress, dayAt, pageAddress, type Selection, selectionOf } from './range.ts';
import { RangePicker } from './range-picker.tsx';
import { Report } from './report.tsx';

/** Files and bytes by day and by key, for the days and the key that the page's address names. */
export function StatisticsPage() {
  const { query } = useLocation();
  const today = dayAt(Date.now());
  const selection = selectionOf(query, today);
  const all = useLoaded<Statistics>(apiAddress(selection, null));
  const current = isOf(all.body, selection) || all.isLoading ? all.body : null;
  const { keyId } = selection;
  return (
    <div class="stack statistics">
      <h1>Statistics</h1>
      <section class="card stack" aria-label="What is shown">
        <RangePicker selection={selection} today={today} />
        <KeyPicker
          selection={selection}
          keys={current?.keys ?? []}
          isKnown={isOf(all.body, selection)}
        />
      </section>
      {keyId === null ? (
        <Loading loaded={{ ...all, body: current }}>
          {(body) => <Report statistics={body} selection={selection} isStale={all.isLoading} />}
        </Loading>
      ) : (
        <OfKey key={keyId} selection={selection} keyId={keyId} />
      )}
      {current !== null && current.keys.length > 0 && (
        <KeysTable keys={current.keys} selection={selection} total={current.totals.files} />
      )}
    </div>
  );
}

/** The figures of one key. */
function OfKey({ selection, keyId }: { selection: Selection; keyId: string }) {
  const one = useLoaded<Statistics>(apiAddress(selection, keyId));
  const current = isOf(one.body, selection) || one.isLoading ? one.body : null;
  if (one.failure?.code === 'key_not_found') return <NoSuchKey selection={selection} />;
  return (
    <Loading loaded={{ ...one, body: current }}>
      {(body) => <Report statistics={body} selection={selection} isStale={one.isLoading} />}
    </Loading>
  );
}

function NoSuchKey({ selection }: { selection: Selection }) {
  return (
    <div class="notice warn stack" role="alert">
      <p>This key is not one of yours. Did you sign in with another address?</p>
      <p>
        <a class="button small" href={pageAddress({ ...selection, keyId: null })}>
          Show all keys
        </a>
      </p>
    </div>
  );
}

/** Figures of other days are not shown as if they were those that were asked for. */
function isOf(body: Statistics | null, { from, to }: Selection): boolean {
  return body?.from === from && body.to === to;
}
