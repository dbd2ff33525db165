import { ErrorLink } from '../error-link.tsx';
import type { Limits } from './limits.ts';

/** What is fetched, and what is not. */
export function ImageUrls({
  fetchesHttp,
  redirects,
  fetchSeconds,
  fileMebibytes,
}: Limits['urls'] & { fileMebibytes: number }) {
  return (
    <>
      <ul>
        <li>
          {fetchesHttp ? 'https, and plain http on this deployment' : 'https only'}, on ports 443
          and 80, without a user name or password in the URL.
        </li>
        <li>At most {redirects} redirects, each to a URL that would be fetched itself.</li>
        <li>
          {fetchSeconds} seconds and {fileMebibytes} MiB, counted after content decoding.
        </li>
        <li>
          Status 200 and the bytes of a picture; nothing is cached, and no header of your request
          goes along.
        </li>
      </ul>
      <p>
        Not fetched: private, local and reserved addresses, <code>localhost</code>,{' '}
        <code>*.local</code>, <code>*.internal</code>, and this service itself. The answer then is{' '}
        <ErrorLink code="source_not_allowed" />; <ErrorLink code="source_fetch_failed" /> is
        everything that could not be fetched. Neither is charged.
      </p>
    </>
  );
}
