import { countText } from '../../../text/formatting.ts';
import { DocsTable } from '../docs-table.tsx';
import { ErrorLink } from '../error-link.tsx';
import { rateLimits } from './figures.ts';

/** How often calls may be made. */
export function Rates() {
  return (
    <>
      <p>
        These are brakes against floods, counted roughly and per Cloudflare location. Beyond them:{' '}
        <ErrorLink code="too_many_requests" /> with <code>Retry-After</code>.
      </p>
      <DocsTable
        caption="Requests a minute"
        columns={['What', 'For each', 'Per minute']}
        rows={rateLimits.map(({ binding, what, who, perMinute }) => ({
          id: binding,
          cells: [what, who, countText(perMinute)],
        }))}
      />
      <p>
        The uploads of one user together hold at most a third of the memory that an instance of the
        service has for pictures, so that nobody keeps others waiting; one upload alone may always
        go on. What finds no room gets <ErrorLink code="overloaded" />.
      </p>
    </>
  );
}
