import { countText, filesText } from '../../text/sizes.ts';
import type { Quota } from '../api/wire.ts';
import { resetWords } from './quota-words.ts';

/** What is left of the free and the paid files. */
export function QuotaCard({ quota }: { quota: Quota }) {
  const { limit, used, remaining, resets_at } = quota.free_quota;
  const reset = resetWords(resets_at, Date.now());
  const paid = quota.paid_quota_remaining;
  return (
    <section class="card stack" aria-labelledby="files">
      <h2 id="files">Files</h2>
      <div class="quota">
        <div class="cluster apart">
          <label for="free-quota">Free this month</label>
          <span class="figure">{filesText(remaining)} left</span>
        </div>
        <progress class="bar" id="free-quota" max={Math.max(1, limit)} value={used} />
        <p class="soft">
          {countText(used)} of {countText(limit)} used. They start anew {reset.distance}, on{' '}
          <time dateTime={resets_at}>{reset.exactly}</time>
          {reset.here && ` (${reset.here} where you are)`}.
        </p>
      </div>
      <div class="quota">
        <div class="cluster apart">
          <span class="label">Paid</span>
          <span class="figure">{filesText(paid)} left</span>
        </div>
        <p class="soft">
          {paid > 0
            ? 'They are used once the free ones of the month are gone, and do not expire.'
            : 'Bought files are used once the free ones of the month are gone. They do not expire.'}
        </p>
      </div>
      <p>
        <a class="button" href="/cabinet/payment">
          Buy files
        </a>
      </p>
    </section>
  );
}
