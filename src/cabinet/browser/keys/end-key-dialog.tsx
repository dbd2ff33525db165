import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { filesText } from '../../text/formatting.ts';
import { useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import type { KeyRecord } from '../api/wire.ts';
import { ConfirmDialog } from '../parts/feedback.tsx';
import { Moment } from '../parts/moment.tsx';

/** Error codes that mean the record on the page is out of date. */
const outdated: ReadonlySet<string> = new Set(['key_not_active', 'key_not_found']);

interface Ending {
  readonly record: KeyRecord;
  readonly onDone: (answer: KeyRecord) => void;
  readonly onGone: (failure: Failure) => void;
  readonly onCancel: () => void;
}

/** Asks for confirmation, then revokes a key. */
export function RevokeDialog(ending: Ending) {
  return (
    <EndKeyDialog {...ending} verb="revoke" title="Revoke this key?" action="Revoke key">
      <p>This can’t be undone. To switch to a new key with the same name, reissue it instead.</p>
    </EndKeyDialog>
  );
}

/** Asks for confirmation, then replaces a key by a new one. */
export function ReissueDialog(ending: Ending) {
  return (
    <EndKeyDialog {...ending} verb="reissue" title="Reissue this key?" action="Reissue key">
      <p>
        You get a new key with the same name and comment. Put it on those servers to restore access.
      </p>
    </EndKeyDialog>
  );
}

function EndKeyDialog({
  record,
  verb,
  title,
  action,
  onDone,
  onGone,
  onCancel,
  children,
}: Ending & {
  verb: 'revoke' | 'reissue';
  title: string;
  action: string;
  children: ComponentChildren;
}) {
  const { isBusy, failure, run } = useAction();
  useEffect(() => {
    if (failure && outdated.has(failure.code)) onGone(failure);
  }, [failure]);

  async function end() {
    if (isBusy) return;
    const answer = await run<KeyRecord>('POST', `/v1/keys/${record.id}/${verb}`, {});
    if (answer) onDone(answer);
  }

  return (
    <ConfirmDialog
      title={title}
      action={action}
      isBusy={isBusy}
      failure={failure}
      onConfirm={end}
      onCancel={onCancel}
    >
      <p class="key-name">
        <strong>
          <bdi>{record.name}</bdi>
        </strong>
      </p>
      <p>
        Servers that use <code>{record.prefix}…</code> will get 401 errors immediately.{' '}
        {lastUse(record)}
      </p>
      {children}
    </ConfirmDialog>
  );
}

function lastUse({ last_used_at: at, today_used: today }: KeyRecord): ComponentChildren {
  if (at === null) return 'It hasn’t been used yet.';
  return (
    <>
      It was last used <Moment at={at} />
      {today > 0 && ` (${filesText(today)} today)`}.
    </>
  );
}
