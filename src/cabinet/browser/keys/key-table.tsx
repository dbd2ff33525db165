import type { ComponentChildren } from 'preact';
import { countText, imagesText } from '../../text/formatting.ts';
import type { KeyRecord } from '../api/wire.ts';
import { LocalDate, LocalTime, Moment } from '../parts/moment.tsx';
import { RevokedOn } from './key-facts.tsx';
import {
  actionsOf,
  badgeOf,
  briefAgoText,
  isBeingReplaced,
  isLimitReached,
  type KeyAction,
  monthText,
} from './key-state.ts';
import { type MenuItem, RowMenu } from './row-menu.tsx';
import { drawing, sparklinePaths } from './sparkline-paths.ts';

export type OnAction = (action: KeyAction, record: KeyRecord) => void;

interface Rows {
  readonly records: readonly KeyRecord[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly onAction: OnAction;
}

/** The keys that are not revoked. On phones, each is a compact row. */
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
          <th scope="col" class="when end">
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
              {isBeingReplaced(record, now) ? (
                <span>
                  works until <End record={record} />
                </span>
              ) : (
                <>
                  <span>
                    {monthText(record)}
                    {record.monthly_limit === null && ' this month'}
                  </span>{' '}
                  · <BriefLastUse record={record} />
                </>
              )}
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
            <td class="when end">
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
            Images in total
          </th>
          <th scope="col" class="when">
            Last used
          </th>
          <th scope="col" class="when">
            Revoked
          </th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={record.id}>
            <KeyName record={record} now={now} onAction={onAction}>
              <span>{imagesText(record.all_time_used)}</span> · <BriefLastUse record={record} />
            </KeyName>
            <td class="prefix">
              <code>{record.prefix}…</code>
            </td>
            <td class="use">{countText(record.all_time_used)}</td>
            <td class="when">
              <LastUse record={record} />
            </td>
            <td class="when">
              <RevokedOn record={record} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Name, badge and comment; on narrow screens, a summary of the other columns takes the place of the comment. */
function KeyName({
  record,
  now,
  onAction,
  children,
}: {
  record: KeyRecord;
  now: number;
  onAction: OnAction;
  /** A short summary of the key. */
  children: ComponentChildren;
}) {
  const { name, comment, prefix } = record;
  const badge = badgeOf(record, now);
  return (
    <th scope="row" class="key-cell">
      <span class="key-title">
        <button class="key-name" type="button" onClick={() => onAction('code', record)}>
          <bdi title={name}>{name}</bdi>
        </button>
        {badge && <span class={`badge ${badge.look}`}>{badge.text}</span>}
        {comment && (
          <bdi class="key-comment" title={comment}>
            {comment}
          </bdi>
        )}
      </span>
      <span class="key-brief">
        <code>{prefix}…</code> · {children}
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

/** The last use, in short form. */
function BriefLastUse({ record: { last_used_at: at } }: { record: KeyRecord }) {
  if (at === null) return <span>never used</span>;
  return (
    <span>
      used <time dateTime={at}>{briefAgoText(at, Date.now())}</time>
    </span>
  );
}

/** When a key that is being replaced stops working. */
function End({ record: { revokes_at: at } }: { record: KeyRecord }) {
  return at === null ? null : <LocalTime at={at} />;
}

function Expiry({ record, now }: { record: KeyRecord; now: number }) {
  if (isBeingReplaced(record, now)) {
    return (
      <>
        Works until <End record={record} />
      </>
    );
  }
  const { expires_at } = record;
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

/** Images per day as a small line without axes, for comparison with other rows. */
function Sparkline({ counts }: { counts: readonly number[] | undefined }) {
  // A key created after the list was loaded has no counts.
  const days = counts ?? [0, 0];
  const sum = days.reduce((all, count) => all + count, 0);
  const { line, area } = sparklinePaths(days);
  const text = `${imagesText(sum)} in 30 days`;
  return (
    <svg
      class={sum === 0 ? 'sparkline idle' : 'sparkline'}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      <path class="area" d={area} />
      <path class="line" d={line} />
    </svg>
  );
}
