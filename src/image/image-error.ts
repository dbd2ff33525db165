import { type ImageType, inputFacts, namesOf } from './formats/facts.ts';

/** The errors of the API that an image, its options, or a lack of memory can be the reason for. */
export type ImageErrorCode =
  | 'invalid_options'
  | 'unsupported_media_type'
  | 'invalid_image'
  | 'image_too_large'
  | 'body_too_large'
  | 'max_bytes_unreachable'
  | 'overloaded';

const sizeCodes: ReadonlySet<ImageErrorCode> = new Set([
  'image_too_large',
  'body_too_large',
  'overloaded',
]);

/** Why an image was not optimized: the only error that the engine throws, except for bugs. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly code: ImageErrorCode;
  /** Figures that belong to the code, in the terms of the API, such as `limit_pixels`. */
  readonly members: Readonly<Record<string, unknown>>;
  /** The type of the file; null if its headers could not be read. */
  readonly inputType: ImageType | null;

  /** @param detail one sentence for the caller */
  constructor(
    code: ImageErrorCode,
    detail: string,
    members: ImageError['members'] = {},
    inputType: ImageType | null = null,
  ) {
    super(detail);
    this.code = code;
    this.members = members;
    this.inputType = inputType;
  }

  /** The same error, about a file of this type. */
  about(type: ImageType): ImageError {
    return new ImageError(this.code, this.message, this.members, type);
  }

  /** Whether an engine with more memory or CPU time might do the work. */
  get isTooLarge(): boolean {
    return sizeCodes.has(this.code) || 'limit_results' in this.members;
  }

  /** One sentence: what is wrong, and what the caller can do. */
  get detail(): string {
    return this.message;
  }
}

/** An `ImageError` as data: errors lose their class on the way between threads. */
export type SentError = Pick<ImageError, 'code' | 'detail' | 'members' | 'inputType'>;

export function sentError({ code, detail, members, inputType }: ImageError): SentError {
  return { code, detail, members, inputType };
}

export function receivedError({ code, detail, members, inputType }: SentError): ImageError {
  return new ImageError(code, detail, members, inputType);
}

const supported = inputFacts.map(({ mediaType }) => mediaType);

/** @param what name of the type; `unknown` if it is not a known kind of image */
export function unsupportedType(what: string): ImageError {
  const subject = what === 'unknown' ? 'This' : what;
  return new ImageError(
    'unsupported_media_type',
    `${subject} is not an image of a supported type: send ${namesOf(inputFacts, 'or')}.`,
    { supported },
  );
}

/** The error for a file that is too long, whatever is in it. */
export function fileTooLarge(limitBytes: number): ImageError {
  const [unit, bytes] =
    limitBytes < 2 ** 20 ? (['KiB', 2 ** 10] as const) : (['MiB', 2 ** 20] as const);
  const maximum = `${Math.floor(limitBytes / bytes)} ${unit}`;
  return new ImageError('body_too_large', `Send one image of at most ${maximum}.`, {
    limit_bytes: limitBytes,
  });
}
