import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect } from 'preact/hooks';
import { type Action, useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';

/** What inputs are told of. */
export type Input = { readonly currentTarget: HTMLInputElement };

/** A checkbox with its label and hint. */
export function Choice({
  label,
  hint,
  isChecked,
  onChange,
}: {
  label: string;
  hint: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  const id = useId();
  return (
    <div class="field choice-field">
      <label for={id}>
        <input
          type="checkbox"
          id={id}
          checked={isChecked}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
    </div>
  );
}

/** Focuses the first field with an error whenever one of these has changed. */
export function useFirstError(
  form: RefObject<HTMLFormElement | null>,
  errors: Readonly<Record<string, string | undefined>>,
  causes: readonly unknown[],
): void {
  // A layout effect, because someone may already be typing on.
  useLayoutEffect(() => {
    if (Object.values(errors).some(Boolean)) {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, causes);
}

/** A call about a site. If it no longer exists, `onGone` is called. */
export function useSiteAction(onGone: (text: string) => void): Action {
  const action = useAction();
  useGone(action.failure, onGone);
  return action;
}

/** Calls `onGone` once a failure says that the site no longer exists. */
export function useGone(failure: Failure | null, onGone: (text: string) => void): void {
  useEffect(() => {
    if (failure?.code === 'site_not_found') onGone('no longer exists.');
  }, [failure]);
}
