import { countText } from '../../text/sizes.ts';
import { dateText, dateTimeText } from '../../text/times.ts';
import type { KeyRecord } from '../api/wire.ts';
import { Moment } from './moment.tsx';

/** What a key has done, and since when. */
export function KeyFigures({ record }: { record: KeyRecord }) {
  return (
    <dl class="key-figures">
      {record.status === 'active' && (
        <div>
          <dt>Files today</dt>
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

function Day({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${dateTimeText(at, 'UTC')} UTC`}>
      {dateText(at)}
    </time>
  );
}
