import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { imagesText } from '../../text/formatting.ts';
import { type Action, useAction } from '../api/call.ts';
import { type Failure, isOutcomeUnknown } from '../api/failure.ts';
import type { KeyRecord } from '../api/wire.ts';
import { ConfirmDialog, DialogFoot, FailureNotice, Modal } from '../parts/feedback.tsx';
import { LocalTime, Moment } from '../parts/moment.tsx';
import { OverlapField, type OverlapHours } from '../parts/secret.tsx';

/** Error codes that mean the record on the page is out of date. */
const outdated: ReadonlySet<string> = new Set(['key_not_active', 'key_not_found']);

interface Ending {
  readonly record: KeyRecord;
  /** Called if the key was revoked, rotated or deleted elsewhere. */
  readonly onGone: (failure: Failure) => void;
  readonly onClose: () => void;
}

/** Asks for confirmation, then revokes a key. */
export function RevokeDialog({
  record,
  onRevoked,
  onGone,
  onClose,
}: Ending & { onRevoked: (record: KeyRecord) => void }) {
  const action = useEnding(onGone);
  async function revoke() {
    const revoked = await action.run<KeyRecord>('POST', `/v1/keys/${record.id}/revoke`, {});
    if (revoked) onRevoked(revoked);
  }
  return (
    <ConfirmDialog
      title="Revoke this key?"
      action="Revoke key"
      isBusy={action.isBusy}
      failure={action.failure}
      onConfirm={revoke}
      onCancel={onClose}
    >
      <Subject record={record} />
      <p>
        Servers that use it get 401 errors from the next request on. {lastUse(record)} This can’t be
        undone.
      </p>
      {record.revokes_at === null && (
        <p class="soft">To move to a new key without an interruption, rotate it instead.</p>
      )}
    </ConfirmDialog>
  );
}

/** Replaces a key with a new one; the old one works for a while in parallel. */
export function RotateDialog({
  record,
  onRotated,
  onOutcomeUnknown,
  onGone,
  onClose,
}: Ending & {
  onRotated: (fresh: KeyRecord, overlapHours: number) => void;
  /** Called if there was no usable response: the key may have been rotated anyway. */
  onOutcomeUnknown: () => void;
}) {
  const action = useEnding(onGone);
  const { isBusy, failure } = action;
  const [hours, setHours] = useState<OverlapHours>(24);
  useEffect(() => {
    if (failure !== null && isOutcomeUnknown(failure)) onOutcomeUnknown();
  }, [failure]);

  async function rotate() {
    const path = `/v1/keys/${record.id}/reissue`;
    const fresh = await action.run<KeyRecord>('POST', path, { overlap_hours: hours });
    if (fresh) onRotated(fresh, hours);
  }

  return (
    <Modal title="Rotate this key" isBusy={isBusy} onClose={onClose}>
      <Subject record={record} />
      <ol class="rotation-steps">
        <li>You get a new key with the same name, comment and limit.</li>
        <li>You put it on your servers in place of the old one.</li>
        <li>The old key stops working.</li>
      </ol>
      <OverlapField
        legend="Keep the old key working"
        none="Servers that still use the old key get 401 errors at once. Choose this if it has leaked."
        some={(end) => (
          <>
            Both keys work until <LocalTime at={end} />. You can revoke the old one earlier.
          </>
        )}
        hours={hours}
        onChange={setHours}
      />
      <FailureNotice failure={failure} />
      <DialogFoot
        action="Rotate key"
        isHarmless={hours > 0}
        isBusy={isBusy}
        onConfirm={rotate}
        onCancel={onClose}
      />
    </Modal>
  );
}

/** A call that ends a key. If the key has ended already, `onGone` is called, which reports it. */
function useEnding(onGone: (failure: Failure) => void): Action {
  const action = useAction();
  const { failure } = action;
  useEffect(() => {
    if (failure && outdated.has(failure.code)) onGone(failure);
  }, [failure]);
  return action;
}

/** The key that the dialog is about. */
function Subject({ record: { name, prefix } }: { record: KeyRecord }) {
  return (
    <p class="dialog-subject">
      <strong class="whole-name">
        <bdi>{name}</bdi>
      </strong>{' '}
      <code>{prefix}…</code>
    </p>
  );
}

function lastUse({ last_used_at: at, today_used: today }: KeyRecord): ComponentChildren {
  if (at === null) return 'It hasn’t been used yet.';
  return (
    <>
      It was last used <Moment at={at} />
      {today > 0 && ` (${imagesText(today)} today)`}.
    </>
  );
}
