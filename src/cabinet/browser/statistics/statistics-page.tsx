import '../../design/statistics.css';
import { useLocation } from 'preact-iso';
import { countText, sizeText } from '../../text/formatting.ts';
import { type Loaded, useLoaded } from '../api/call.ts';
import type { Me, Statistics } from '../api/wire.ts';
import { Loading } from '../parts/feedback.tsx';
import { shareText } from './figures.ts';
import { KeyPicker, RangePicker } from './pickers.tsx';
import { apiAddress, dayAt, pageAddress, type Selection, selectionOf } from './range.ts';
import { NoFiles, Report } from './report.tsx';

/** Files and bytes by day and by key, for the range and key selected in the page's URL. */
export function StatisticsPage() {
  const { query } = useLocation();
  const today = dayAt(Date.now());
  const selection = selectionOf(query, today);
  const all = useLoaded<Statistics>(apiAddress(selection, null));
  const isKnown = isForRange(all.body, selection);
  const current = isKnown || all.isLoading ? all.body : null;
  const me = useLoaded<Me>('/v1/me');
  const { keyId } = selection;
  // If something was selected, the controls stay, so that the selection can be changed.
  const isSelected = Object.keys(query).length > 0;
  const isUnsure = !isSelected && isPending(all, me);
  if (isUnsure || (!isSelected && isKnown && isUnused(all.body, me.body))) {
    return (
      <div class="stack statistics">
        <h1>Statistics</h1>
        {isUnsure ? (
          <p class="soft late">Loading…</p>
        ) : (
          <section class="card">
            <NoFiles title="No images yet" />
          </section>
        )}
      </div>
    );
  }
  return (
    <div class="stack statistics">
      <h1>Statistics</h1>
      <section class="card filters" aria-label="Filters">
        <RangePicker selection={selection} today={today} />
        <KeyPicker selection={selection} keys={current?.keys ?? []} isKnown={isKnown} />
      </section>
      {keyId === null ? (
        <Loading loaded={{ ...all, body: current }}>
          {(body) => <Report statistics={body} selection={selection} isStale={all.isLoading} />}
        </Loading>
      ) : (
        <KeyReport key={keyId} selection={selection} keyId={keyId} />
      )}
      {current !== null && current.keys.length > 0 && (
        <KeysTable keys={current.keys} selection={selection} total={current.totals.files} />
      )}
    </div>
  );
}

/** Whether it is not yet known if the account has been used; until then, nothing is shown that might disappear. */
function isPending(...calls: readonly Pick<Loaded<unknown>, 'body' | 'failure'>[]): boolean {
  return calls.every(({ failure }) => failure === null) && calls.some(({ body }) => body === null);
}

/** Whether an account has not optimized a single image since it was created. */
function isUnused(all: Statistics | null, me: Me | null): boolean {
  return all?.totals.files === 0 && me !== null && me.created_at.slice(0, 10) >= all.from;
}

/** The statistics of one key. */
function KeyReport({ selection, keyId }: { selection: Selection; keyId: string }) {
  const loaded = useLoaded<Statistics>(apiAddress(selection, keyId));
  const current = isForRange(loaded.body, selection) || loaded.isLoading ? loaded.body : null;
  if (loaded.failure?.code === 'key_not_found') return <NoSuchKey selection={selection} />;
  return (
    <Loading loaded={{ ...loaded, body: current }}>
      {(body) => <Report statistics={body} selection={selection} isStale={loaded.isLoading} />}
    </Loading>
  );
}

function NoSuchKey({ selection }: { selection: Selection }) {
  return (
    <div class="notice warn stack" role="alert">
      <p>This key isn’t in your account. Did you sign in with a different address?</p>
      <p>
        <a class="button small" href={pageAddress({ ...selection, keyId: null })}>
          Show all keys
        </a>
      </p>
    </div>
  );
}

/** Whether loaded statistics are for the selected range, not for the previous one. */
function isForRange(body: Statistics | null, { from, to }: Selection): boolean {
  return body?.from === from && body.to === to;
}

/** Usage by key, with each key's share of all images. */
function KeysTable({
  keys,
  selection,
  total,
}: {
  keys: Statistics['keys'];
  selection: Selection;
  /** Number of images of all keys. */
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
              Images
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
                  <span class="soft">{shareText(key.files, total)} of images</span>
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
  const isSite = entry.id.startsWith('site_');
  if (entry.name === '') return <span>{isSite ? 'Deleted site' : 'Deleted key'}</span>;
  const isShown = entry.id === selection.keyId;
  return (
    <span class="key-entry">
      <a
        href={pageAddress({ ...selection, keyId: entry.id })}
        aria-current={isShown ? 'true' : undefined}
      >
        <bdi>{entry.name}</bdi>
      </a>{' '}
      {isSite ? <span class="badge">site</span> : <code>{entry.prefix}…</code>}
      {isShown && <span class="badge">shown above</span>}
    </span>
  );
}
