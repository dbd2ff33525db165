import { countText, filesText } from '../../text/sizes.ts';
import { utcText } from '../../text/times.ts';
import type { Me } from '../api/wire.ts';

/** What can still be optimized: bought files, and those of this month. */
export function FilesLeft({ me }: { me: Me }) {
  const { paid_quota_remaining: paid, free_quota: free } = me;
  return (
    <div class="card stack">
      <dl class="figure-list">
        <div>
          <dt>paid {paid === 1 ? 'file' : 'files'} left</dt>
          <dd>{countText(paid)}</dd>
        </div>
        <div>
          <dt>of {filesText(free.limit, 'free')} left this month</dt>
          <dd>{countText(free.remaining)}</dd>
        </div>
      </dl>
      <p class="soft">
        Free files are used first, and are back on{' '}
        <time dateTime={free.resets_at}>{utcText(free.resets_at)}</time>. A file counts only when
        its picture came out smaller. Paid files do not expire.
      </p>
    </div>
  );
}
