import type { Failure } from '../api/failure.ts';

/** What people call a key by. */
export interface Labels {
  readonly name: string;
  readonly comment: string;
}

export type LabelComplaints = { readonly [Field in keyof Labels]?: string | undefined };

/** In characters as people count them: an emoji is one. */
export const longest = { name: 100, comment: 500 } as const;

/** What can be seen to be wrong without asking. */
export function labelComplaints({ name, comment }: Labels): LabelComplaints {
  return {
    ...(name.trim() === ''
      ? { name: 'Give the key a name.' }
      : tooLong('name', name.trim(), longest.name)),
    ...tooLong('comment', comment, longest.comment),
  };
}

function tooLong(field: keyof Labels, text: string, most: number): LabelComplaints {
  const length = [...text].length;
  return length > most
    ? { [field]: `${length} characters are too many: ${most} is the most.` }
    : {};
}

/** What the service found wrong with each field, as sentences. */
export function serviceComplaints(failure: Failure | null): LabelComplaints {
  const { name, comment } = failure?.fields ?? {};
  return {
    ...(name !== undefined && { name: `The name ${name}.` }),
    ...(comment !== undefined && { comment: `The comment ${comment}.` }),
  };
}

/** The labels that differ from a record's, which are all that is sent; null when none does. */
export function changedLabels(before: Labels, after: Labels): Partial<Labels> | null {
  const name = after.name.trim();
  const changed = {
    ...(name !== before.name && { name }),
    ...(after.comment !== before.comment && { comment: after.comment }),
  };
  return Object.keys(changed).length > 0 ? changed : null;
}

/** A comment is one line: what was pasted as several becomes one. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ');
}
