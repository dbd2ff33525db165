import type { Failure } from '../api/failure.ts';
import type { Result } from './result.ts';

export type Sent =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Nobody waits for it any more. */
  | { readonly kind: 'aborted' };

/** Has one picture made smaller, with options in the API's words. Never throws. */
export type SendPicture = (
  file: File,
  query: string,
  how: { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
) => Promise<Sent>;
