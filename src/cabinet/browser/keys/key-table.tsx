import type { ComponentChildren } from 'preact';
import { countText, filesText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';
import { LocalDate, LocalTime, Moment } from '../parts/moment.tsx';
import {
  actionsOf,
  badgeOf,
  isBeingReplaced,
  isLimitReached,
  isRevoked,
  type KeyAction,
  monthText,
} from './key-state.ts';
import { type MenuItem, RowMenu } from './row-menu.tsx';
import { Sparkline } from './sparkline.tsx';

export type OnAction = (action: KeyAction, record: KeyRecord) => void;

interface Rows {
  readonly records: readonly KeyRecord[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly onAction: OnAction;
}

/** The keys that work, or would but for their limit or expiry. On phones each is a compact row. */
export function ActiveKeys({ records, now, onAction }: Rows) {
  return (
    <table class="key-table" aria-labelledby="active-keys">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col" class="prefix">
            Prefix
          </th>
          <th scope="col" class="trend">
            Last 30 days
          </th>
          <th scope="col" class="use">
            This month
          </th>
          <th scope="col" class="when">
            Last used
          </th>
          <th scope="col" class="when">
            Expires
          </th>
          <th scope="col" class="actions">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={record.id}>
            <KeyName record={record} now={now} onAction={onAction}>
              {monthText(record)}
              {record.monthly_limit === null && ' this month'}
            </KeyName>
            <td class="prefix">
              <code>{record.prefix}…</code>
            </td>
            <td class="trend">
              <Sparkline counts={record.recent} />
            </td>
            <td class="use">
              <MonthUse record={record} />
            </td>
            <td class="when">
              <LastUse record={record} />
            </td>
            <td class="when">
              <Expiry record={record} now={now} />
            </td>
            <KeyMenu record={record} now={now} onAction={onAction} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Keys that no longer work. */
export function EndedKeys({ records, now, onAction }: Rows) {
  return (
    <table class="key-table ended" aria-labelledby="revoked-keys">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col" class="prefix">
            Prefix
          </th>
          <th scope="col" class="use">
            Files in total
          </th>
          <th scope="col" class="when">
            Last used
          </th>
          <th scope="col" class="when">
            Revoked
          </th>
          <th scope="col" class="actions">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => {
          const end = record.revoked_at ?? record.revokes_at;
          return (
            <tr key={record.id}>
              <KeyName record={record} now={now} onAction={onAction}>
                {filesText(record.all_time_used)}
              </KeyName>
              <td class="prefix">
                <code>{record.prefix}…</code>
              </td>
              <td class="use">{countText(record.all_time_used)}</td>
              <td class="when">
                <LastUse record={record} />
              </td>
              <td class="when">{end && <LocalDate at={end} />}</td>
              <KeyMenu record={record} now={now} onAction={onAction} />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Name, comment and badge; on phones also what other columns say, on a second line. */
function KeyName({
  record,
  now,
  onAction,
  children,
}: {
  record: KeyRecord;
  now: number;
  onAction: OnAction;
  /** Its use in a few words. */
  children: ComponentChildren;
}) {
  const { name, comment, prefix } = record;
  const badge = badgeOf(record, now);
  const end = isBeingReplaced(record, now) ? record.revokes_at : null;
  return (
    <th scope="row" class="key-cell">
      <span class="key-title">
        {isRevoked(record, now) ? (
          <bdi class="key-name" title={name}>
            {name}
          </bdi>
        ) : (
          <button class="key-name" type="button" onClick={() => onAction('code', record)}>
            <bdi title={name}>{name}</bdi>
          </button>
        )}
        {badge && <span class={`badge ${badge.look}`}>{badge.text}</span>}
        {comment && (
          <bdi class="key-comment" title={comment}>
            {comment}
          </bdi>
        )}
      </span>
      <span class="key-brief">
        {end === null ? (
          <>
            <code>{prefix}…</code>
            <span>{children}</span>
          </>
        ) : (
          <span>
            Works until <LocalTime at={end} />
          </span>
        )}
      </span>
    </th>
  );
}

function MonthUse({ record }: { record: KeyRecord }) {
  const { month_used: used, monthly_limit: limit } = record;
  return (
    <>
      {monthText(record)}
      {limit !== null && (
        <progress
          class={isLimitReached(record) ? 'bar full' : 'bar'}
          aria-label="Share of the monthly limit"
          value={Math.min(used, limit)}
          max={limit}
        />
      )}
    </>
  );
}

function LastUse({ record: { last_used_at: at } }: { record: KeyRecord }) {
  return at === null ? <span class="soft">Never</span> : <Moment at={at} />;
}

function Expiry({ record, now }: { record: KeyRecord; now: number }) {
  const { expires_at, revokes_at } = record;
  if (revokes_at !== null && isBeingReplaced(record, now)) {
    return (
      <>
        Works until <LocalTime at={revokes_at} />
      </>
    );
  }
  return expires_at === null ? <span class="soft">Never</span> : <LocalDate at={expires_at} />;
}

function KeyMenu({
  record,
  now,
  onAction,
}: {
  record: KeyRecord;
  now: number;
  onAction: OnAction;
}) {
  const items = () =>
    actionsOf(record, now).map(
      ([action, label]): MenuItem => ({
        label,
        isDangerous: action === 'revoke',
        onChoose: () => onAction(action, record),
      }),
    );
  return (
    <td class="actions">
      <RowMenu label={`Actions for ${record.name}`} items={items} />
    </td>
  );
}
