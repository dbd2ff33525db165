import '../../design/key-requests.css';
import { useMemo, useState } from 'preact/hooks';
import { countText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { KeyRecord, KeyRequest, KeyRequests, List } from '../api/wire.ts';
import { Loading } from '../parts/feedback.tsx';
import { LocalSecond } from '../parts/moment.tsx';
import { isError, isNoSmaller, sizesText } from './key-state.ts';

/** The number of requests shown at first, and added by each press of “Show more”. */
const pageSize = 100;

/** The latest requests with a key, given by its id. */
export function RequestsPage({ keyId }: { keyId: string }) {
  const keys = useLoaded<List<KeyRecord>>('/v1/keys');
  const loaded = useLoaded<KeyRequests>(`/v1/keys/${encodeURIComponent(keyId)}/requests`);
  const name = keys.body?.items.find(({ id }) => id === keyId)?.name;
  // Nothing is shown below the name before it is known: it can take several lines.
  const isNamed = keys.body !== null || keys.failure !== null;
  const shown = isNamed ? loaded : { ...loaded, body: null, failure: null, isLoading: true };
  return (
    <div class="key-requests stack">
      <p>
        <a href="/cabinet/keys">All keys</a>
      </p>
      <div class="cluster apart">
        <h1>Requests</h1>
        <button
          class="button"
          type="button"
          aria-disabled={loaded.isLoading}
          onClick={() => loaded.isLoading || loaded.reload()}
        >
          Reload
        </button>
      </div>
      <Loading loaded={shown}>
        {({ recording, items }) => (
          <>
            <p class="whole-name">
              Made with the key <bdi>{name ?? keyId}</bdi>
            </p>
            {recording ? <Requests items={items} /> : <p>Requests are not recorded here.</p>}
          </>
        )}
      </Loading>
    </div>
  );
}

function Requests({ items }: { items: readonly KeyRequest[] }) {
  const [isErrorsOnly, setErrorsOnly] = useState(false);
  const [limit, setLimit] = useState(pageSize);
  const errors = useMemo(() => items.filter(isError), [items]);
  if (items.length === 0) return <NoRequests />;
  const found = isErrorsOnly ? errors : items;
  const rest = found.length - limit;
  return (
    <>
      <label class="cluster errors-only">
        <input
          type="checkbox"
          checked={isErrorsOnly}
          onChange={(event) => setErrorsOnly(event.currentTarget.checked)}
        />
        <span>
          Errors only{' '}
          <span class="soft">
            {countText(errors.length)} of {countText(items.length)}
          </span>
        </span>
      </label>
      {found.length === 0 ? (
        <p class="soft" role="status">
          No errors among these requests.
        </p>
      ) : (
        <RequestTable requests={found.slice(0, limit)} />
      )}
      {rest > 0 && (
        <p>
          <button class="button small" type="button" onClick={() => setLimit(limit + pageSize)}>
            Show {Math.min(rest, pageSize)} more
          </button>
        </p>
      )}
      <p class="soft">
        The last 1,000 requests of the last seven days. Names, addresses and images are not
        recorded.
      </p>
    </>
  );
}

/** Shown while there are no requests. */
function NoRequests() {
  return (
    <div class="card stack">
      <h2>No requests in the last seven days</h2>
      <p class="soft">
        Each request with this key appears here about a second after its response, whether or not it
        succeeded.
      </p>
    </div>
  );
}

/** A table; on phones, a list with two lines for each request. */
function RequestTable({ requests }: { requests: readonly KeyRequest[] }) {
  return (
    <table class="table">
      <caption class="visually-hidden">Requests, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Path</th>
          <th scope="col">Status</th>
          <th scope="col" class="number">
            Size
          </th>
          <th scope="col" class="number">
            Duration
          </th>
          <th scope="col" class="number">
            Charged
          </th>
        </tr>
      </thead>
      <tbody>
        {requests.map((request, i) => (
          <tr key={`${request.at} ${i}`}>
            <th scope="row" class="at">
              <LocalSecond at={request.at} />
            </th>
            <td class="route">
              <code>{request.route}</code>
            </td>
            <td class="status">
              <Status request={request} />
            </td>
            <td class="number size">{sizesText(request)}</td>
            <td class="number duration">{countText(request.milliseconds)} ms</td>
            <td class="number charged">
              <Charged request={request} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The number of results that were charged; for images that are none, the reason. Errors speak for themselves. */
function Charged({ request }: { request: KeyRequest }) {
  if (isError(request)) return null;
  if (isNoSmaller(request)) return <>not smaller</>;
  return (
    <>
      {countText(request.charged)}
      <span class="word"> charged</span>
    </>
  );
}

/** The status, with the error and its explanation. */
function Status({ request: { status, code } }: { request: KeyRequest }) {
  if (code === null) return <>{status}</>;
  return (
    <>
      <span class="badge error">{status}</span>{' '}
      <a href={`/docs/errors#${encodeURIComponent(code)}`}>{code}</a>
    </>
  );
}
