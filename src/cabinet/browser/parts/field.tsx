import { type ComponentChildren, cloneElement, type VNode } from 'preact';
import { useId } from 'preact/hooks';

/** A labelled input with its hint and its complaint, tied together for screen readers. */
export function Field({
  label,
  hint,
  complaint,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  /** What is wrong with the value; empty or absent: nothing. */
  complaint?: string | undefined;
  /** The input. */
  children: VNode<Record<string, unknown>>;
}) {
  const id = useId();
  const told = [hint ? `${id}-hint` : '', complaint ? `${id}-complaint` : ''].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, {
        id,
        class: 'input',
        'aria-invalid': complaint ? 'true' : undefined,
        'aria-describedby': told.length > 0 ? told.join(' ') : undefined,
      })}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {complaint && (
        <span class="complaint" id={`${id}-complaint`}>
          {complaint}
        </span>
      )}
    </div>
  );
}
