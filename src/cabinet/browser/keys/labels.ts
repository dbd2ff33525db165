import type { Failure } from '../api/failure.ts';

/** What the user has written about a key. */
export interface Labels {
  readonly name: string;
  readonly comment: string;
}

export type LabelErrors = { readonly [Field in keyof Labels]?: string | undefined };

/** In Unicode code points: most emoji count as one. */
export const maxLengths = { name: 100, comment: 500 } as const;

/** Errors that can be found without asking the service. */
export function labelErrors({ name, comment }: Labels): LabelErrors {
  return {
    ...(name.trim() === ''
      ? { name: 'Give the key a name.' }
      : tooLong('name', name.trim(), maxLengths.name)),
    ...tooLong('comment', comment, maxLengths.comment),
  };
}

function tooLong(field: keyof Labels, text: string, maxLength: number): LabelErrors {
  const length = [...text].length;
  return length > maxLength
    ? { [field]: `Too long: ${length} characters. The limit is ${maxLength}.` }
    : {};
}

/** Errors reported by the service, by field, as sentences. */
export function serviceErrors(failure: Failure | null): LabelErrors {
  const { name, comment } = failure?.fields ?? {};
  return {
    ...(name !== undefined && { name: `The name ${name}.` }),
    ...(comment !== undefined && { comment: `The comment ${comment}.` }),
  };
}

/** The labels that were changed, which are all that is sent. Null if none was. */
export function changedLabels(before: Labels, after: Labels): Partial<Labels> | null {
  const name = after.name.trim();
  const changed = {
    ...(name !== before.name && { name }),
    ...(after.comment !== before.comment && { comment: after.comment }),
  };
  return Object.keys(changed).length > 0 ? changed : null;
}

/** Joins pasted lines: a comment is a single line. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ');
}
