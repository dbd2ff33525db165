import { countText } from '../../text/sizes.ts';
import type { Me } from '../api/wire.ts';

/** What can still be optimized: bought files, and those of this month. */
export function FilesLeft({ me }: { me: Me }) {
  const { paid_quota_remaining: paid, free_quota: free } = me;
  return (
    <div class="card stack">
      <dl class="figure-list">
        <div>
          <dt>paid files left</dt>
          <dd>{countText(paid)}</dd>
        </div>
        <div>
          <dt>of {countText(free.limit)} free files left this month</dt>
          <dd>{countText(free.remaining)}</dd>
        </div>
      </dl>
      <p class="soft">
        Free files are used first, and are back on{' '}
        <time dateTime={free.resets_at}>{dayText(free.resets_at)}</time>. A file counts only when
        its picture came out smaller. Paid files do not expire.
      </p>
    </div>
  );
}

/** Months change at midnight UTC. */
function dayText(timestamp: string): string {
  return new Date(timestamp).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
}
