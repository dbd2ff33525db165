import { ErrorLink } from '../error-link.tsx';
import type { Limits } from './limits.ts';

/** How large what is sent may be. */
export function Sizes({
  fileMebibytes,
  jsonKibibytes,
  stallSeconds,
  bodySeconds,
  profileMebibytes,
  pngTextMebibytes,
}: Limits['sizes']) {
  return (
    <ul>
      <li>
        A picture: {fileMebibytes} MiB, however it is sent. Beyond that:{' '}
        <ErrorLink code="body_too_large" />.
      </li>
      <li>A JSON body: {jsonKibibytes} KiB.</li>
      <li>
        An upload may stall for {stallSeconds} seconds and take {bodySeconds} seconds in all; then:{' '}
        <ErrorLink code="request_timeout" />.
      </li>
      <li>
        Send the header <code>Content-Length</code>, as most clients do by themselves: a body
        without it needs more room while it grows, and may be refused sooner.
      </li>
      <li>
        A colour profile of more than {profileMebibytes} MiB, and a PNG whose texts unpack to{' '}
        {pngTextMebibytes} MiB or more, are refused.
      </li>
    </ul>
  );
}
