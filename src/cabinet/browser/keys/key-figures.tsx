import { countText } from '../../text/sizes.ts';
import type { KeyRecord } from '../api/wire.ts';
import { Day, Moment } from '../parts/moment.tsx';

/** What a key has done, and since when. */
export function KeyFigures({ record }: { record: KeyRecord }) {
  return (
    <dl class="key-figures">
      {record.status === 'active' && (
        <div>
          <dt>Files today, UTC</dt>
          <dd>{countText(record.today_used)}</dd>
        </div>
      )}
      <div>
        <dt>Files in all</dt>
        <dd>{countText(record.all_time_used)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>{record.last_used_at ? <Moment at={record.last_used_at} /> : 'not yet'}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Day at={record.created_at} />
        </dd>
      </div>
      {record.revoked_at && (
        <div>
          <dt>Revoked</dt>
          <dd>
            <Day at={record.revoked_at} />
          </dd>
        </div>
      )}
    </dl>
  );
}
