/**
 * Why a picture cannot be optimized. Decisions return it, and a single place maps it to an HTTP response; every
 * `detail` is one sentence for the caller.
 */
export type Refusal =
  /** The requested options are not possible for this picture, in any isolate. */
  | { readonly kind: 'refused'; readonly reason: 'options'; readonly detail: string }
  /** The picture itself is the reason: it is damaged, or would be harmed. */
  | { readonly kind: 'refused'; readonly reason: 'image'; readonly detail: string }
  /** It needs more memory or CPU time than is available; a picture of the same shape with `limitPixels` would fit. */
  | { readonly kind: 'refused'; readonly reason: 'too-large'; readonly limitPixels: number }
  /**
   * An animation has too many frames, or too many pixels in all of them; with the same number of frames, `limitPixels`
   * in each would be accepted.
   */
  | {
      readonly kind: 'refused';
      readonly reason: 'animation-too-large';
      readonly frames: number;
      readonly limitFrames: number;
      readonly limitPixels: number;
    }
  /** The file, not the picture, is too large for the available memory; `limitBytes` would fit. */
  | { readonly kind: 'refused'; readonly reason: 'file-too-large'; readonly limitBytes: number }
  /** No result of acceptable quality is as short as requested; the shortest one has `smallestBytes`. */
  | { readonly kind: 'refused'; readonly reason: 'max-bytes'; readonly smallestBytes: number }
  /** It would fit, but not in addition to what this isolate holds at the moment. */
  | { readonly kind: 'refused'; readonly reason: 'overloaded' };

export function refuseOptions(detail: string): Refusal {
  return { kind: 'refused', reason: 'options', detail };
}

export function refuseImage(detail: string): Extract<Refusal, { readonly reason: 'image' }> {
  return { kind: 'refused', reason: 'image', detail };
}

export function refuseTooLarge(limitPixels: number): Refusal {
  return { kind: 'refused', reason: 'too-large', limitPixels };
}

export const damaged = refuseImage('The picture is damaged or cut short.');

/** Its coded data take far more work than any encoder's; the file itself may still be sent as it is. */
export const excessive = refuseImage(
  'The picture is coded as no encoder does, and would take too much work: use format=keep without width and height.',
);

/** The refusals of a picture that may be intact but takes more memory than its header implies. */
export const demanding = {
  source: refuseImage('The picture takes far more memory than its header allows for.'),
  result: refuseImage(
    'The result would be longer than there is memory for: ask for another format, or for a lower quality.',
  ),
} as const;

export function isForLackOfMemory(refusal: object): boolean {
  return refusal === demanding.source || refusal === demanding.result;
}

/** Why a file cannot be used as a picture. */
export type Unreadable =
  /** Not a supported type; `what` is its name, or `unknown` if it is not a known kind of image. */
  | { readonly kind: 'unsupported'; readonly what: string }
  /** A supported type with an unsupported feature; `detail` is one sentence. */
  | { readonly kind: 'unsupported-feature'; readonly detail: string }
  /** Truncated, corrupt or contradictory; `detail` is one sentence. */
  | { readonly kind: 'broken'; readonly detail: string };

export function broken(detail: string): Unreadable {
  return { kind: 'broken', detail };
}

export function unsupportedFeature(detail: string): Unreadable {
  return { kind: 'unsupported-feature', detail };
}

export function isUnreadable(value: object): value is Unreadable {
  return 'kind' in value;
}
