/**
 * Why a picture is not worked on. Decisions return it, one place maps it to
 * the wire; every `detail` is one sentence for the caller.
 */
export type Refusal =
  /** What was asked for cannot be had of this picture, in any isolate. */
  | { readonly kind: 'refused'; readonly reason: 'options'; readonly detail: string }
  /** The picture itself stands in the way: broken, or of a kind that this would harm. */
  | { readonly kind: 'refused'; readonly reason: 'image'; readonly detail: string }
  /** It needs more memory or computing time than there is; `limitPixels` is what would fit, shaped like this one. */
  | { readonly kind: 'refused'; readonly reason: 'too-large'; readonly limitPixels: number }
  /** An animation has more frames, or all its frames more pixels, than are gone through; with as many frames, `limitPixels` of each would do. */
  | {
      readonly kind: 'refused';
      readonly reason: 'animation-too-large';
      readonly frames: number;
      readonly limitFrames: number;
      readonly limitPixels: number;
    }
  /** Not the picture but its file needs more; `limitBytes` is what would fit. */
  | { readonly kind: 'refused'; readonly reason: 'file-too-large'; readonly limitBytes: number }
  /** No result of acceptable quality is as short as was asked for; `smallestBytes` is the length of the shortest one. */
  | { readonly kind: 'refused'; readonly reason: 'max-bytes'; readonly smallestBytes: number }
  /** It would fit, but not beside what this isolate holds right now. */
  | { readonly kind: 'refused'; readonly reason: 'overloaded' };

export function refuseOptions(detail: string): Refusal {
  return { kind: 'refused', reason: 'options', detail };
}

export function refuseImage(detail: string): Refusal {
  return { kind: 'refused', reason: 'image', detail };
}

export function refuseTooLarge(limitPixels: number): Refusal {
  return { kind: 'refused', reason: 'too-large', limitPixels };
}

export const damaged = refuseImage('The picture is damaged or cut short.');

/** Why a file is not a picture that can be worked on. */
export type Unreadable =
  /** Not a type that we read: its name, or `unknown` when it is not an image that we know of. */
  | { readonly kind: 'unsupported'; readonly what: string }
  /** The right type, in a variety that we do not handle; `detail` is one plain sentence. */
  | { readonly kind: 'unsupported-feature'; readonly detail: string }
  /** Truncated, corrupt or contradicting itself; `detail` is one plain sentence. */
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
