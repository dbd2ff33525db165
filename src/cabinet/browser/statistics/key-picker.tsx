import { useLocation } from 'preact-iso';
import type { Statistics } from '../api/wire.ts';
import { Field } from '../parts/field.tsx';
import { pageAddress, type Selection } from './range.ts';

/** Which key: all of them, or one of those that did something on the days shown. */
export function KeyPicker({ selection, keys }: { selection: Selection; keys: Statistics['keys'] }) {
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
          {isAbsent && <option value={keyId}>A key without files on these days</option>}
        </select>
      </Field>
    </div>
  );
}
