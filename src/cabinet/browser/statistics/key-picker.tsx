import { useLocation } from 'preact-iso';
import type { Statistics } from '../api/wire.ts';
import { Field } from '../parts/field.tsx';
import { pageAddress, type Selection } from './range.ts';

/** Which key: all of them, or one of those that did something on the days shown. */
export function KeyPicker({
  selection,
  keys,
  isKnown,
}: {
  selection: Selection;
  keys: Statistics['keys'];
  /** Whether these are the keys of the days shown; not while they are being loaded, or cannot be. */
  isKnown: boolean;
}) {
  const { route } = useLocation();
  // uploads at the cabinet have no key, and cannot be asked for alone
  const named = keys.filter((key) => key.id !== null);
  const { keyId } = selection;
  const isAbsent = keyId !== null && !named.some((key) => key.id === keyId);
  return (
    <div class="key-picker">
      <Field label="Key">
        <select
          value={keyId ?? ''}
          onChange={(event) =>
            route(pageAddress({ ...selection, keyId: event.currentTarget.value || null }))
          }
        >
          <option value="">All keys</option>
          {named.map((key) => (
            <option key={key.id} value={key.id ?? ''}>
              {`${key.name} (${key.prefix}…)`}
            </option>
          ))}
          {isAbsent && (
            <option value={keyId}>
              {isKnown ? 'A key without files on these days' : 'The key that you chose'}
            </option>
          )}
        </select>
      </Field>
    </div>
  );
}
