import '../../design/statistics.css';
import { useLocation } from 'preact-iso';
import { countText, sizeText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { Statistics } from '../api/wire.ts';
import { Loading } from '../parts/feedback.tsx';
import { KeyPicker, RangePicker } from './pickers.tsx';
import { shareText } from './plot-text.ts';
import { apiAddress, dayAt, pageAddress, type Selection, selectionOf } from './range.ts';
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

/** Who did it: every key with its part of all files. */
function KeysTable({
  keys,
  selection,
  total,
}: {
  keys: Statistics['keys'];
  selection: Selection;
  /** Files of all keys together. */
  total: number;
}) {
  return (
    <section class="card stack" aria-labelledby="by-key">
      <h2 id="by-key">By key</h2>
      <table class="table keys-table">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" class="number">
              Files
            </th>
            <th scope="col" class="number">
              Saved
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                <KeyName entry={key} selection={selection} />
                <span class="share">
                  <span class="share-bar" aria-hidden="true">
                    <span style={{ width: `${total > 0 ? (key.files / total) * 100 : 0}%` }} />
                  </span>
                  <span class="soft">{shareText(key.files, total)} of the files</span>
                </span>
              </th>
              <td class="number">{countText(key.files)}</td>
              <td class="number">{sizeText(key.bytes_saved)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function KeyName({
  entry,
  selection,
}: {
  entry: Statistics['keys'][number];
  selection: Selection;
}) {
  if (entry.id === null) return <span>Try it page</span>;
  const isShown = entry.id === selection.keyId;
  return (
    <span class="key-entry">
      <a
        href={pageAddress({ ...selection, keyId: entry.id })}
        aria-current={isShown ? 'true' : undefined}
      >
        <bdi>{entry.name}</bdi>
      </a>{' '}
      <code>{entry.prefix}…</code>
      {isShown && <span class="badge">shown above</span>}
    </span>
  );
}
