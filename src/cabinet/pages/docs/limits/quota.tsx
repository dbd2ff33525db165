import { countText } from '../../../text/formatting.ts';
import { ErrorLink } from '../error-link.tsx';
import type { Limits } from './limits.ts';

/** How many files there are, and what becomes of them. */
export function Quota({
  freeFilesPerMonth,
  unchargedPerDay,
  reservationMinutes,
  checkoutsPerDay,
}: Limits['quota']) {
  return (
    <>
      <ul>
        <li>
          <strong>Free:</strong> {countText(freeFilesPerMonth)} files per user and month. Months are
          those of UTC; what is left over expires.
        </li>
        <li>
          <strong>Bought:</strong> used after the free ones. They do not expire. A user can begin{' '}
          {checkoutsPerDay} checkouts a day that do not lead to a payment.
        </li>
        <li>
          <strong>Not charged:</strong> {countText(unchargedPerDay)} answers per user and UTC day
          that cost work without saving bytes. Requests in flight count here until they have ended.
          Beyond that: <ErrorLink code="too_many_requests" /> until midnight UTC.
        </li>
        <li>
          With neither free nor bought files: <ErrorLink code="quota_exceeded" />.
        </li>
      </ul>
      <p>
        A request sets one file aside before the work, for {reservationMinutes} minutes at most. Any
        number of parallel requests can therefore not spend more than there is.
      </p>
    </>
  );
}
