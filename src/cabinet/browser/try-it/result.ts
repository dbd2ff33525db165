/** What the service says of a picture that it has sent back. */
export interface Result {
  readonly blob: Blob;
  readonly fileName: string;
  /** Media type, such as `image/webp`. */
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** A figure, `lossless` or `original`. */
  readonly quality: string;
  readonly isSmaller: boolean;
  /** Why nothing was saved; null when something was. */
  readonly reason: string | null;
  /** Files left after this one, free and paid. */
  readonly quotaRemaining: number | null;
}

/** Reads the answer to a picture of that name. */
export function resultOf(
  blob: Blob,
  header: (name: string) => string | null,
  originalName: string,
  originalBytes: number,
): Result {
  const type = header('Content-Type')?.split(';')[0] ?? blob.type;
  const remaining = header('Quota-Remaining');
  return {
    blob,
    fileName: resultName(originalName, type),
    type,
    width: Number(header('Image-Width')),
    height: Number(header('Image-Height')),
    bytesBefore: Number(header('Image-Input-Bytes') ?? originalBytes),
    bytesAfter: Number(header('Image-Output-Bytes') ?? blob.size),
    quality: header('Image-Quality') ?? '',
    isSmaller: header('Image-Optimized') === 'true',
    reason: header('Image-Reason'),
    quotaRemaining: remaining === null ? null : Number(remaining),
  };
}

const extensions: Readonly<Record<string, readonly string[]>> = {
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png', 'apng'],
  'image/webp': ['webp'],
  'image/avif': ['avif'],
};

/**
 * The original's name, with an extension that fits the type. The service does
 * not know the name of a picture whose bytes alone were sent.
 */
export function resultName(originalName: string, type: string): string {
  const fitting = extensions[type] ?? [];
  const dot = originalName.lastIndexOf('.');
  const stem = dot > 0 ? originalName.slice(0, dot) : originalName || 'picture';
  const extension = dot > 0 ? originalName.slice(dot + 1) : '';
  if (fitting.includes(extension.toLowerCase()) || fitting[0] === undefined) {
    return originalName || 'picture';
  }
  return `${stem}.${fitting[0]}`;
}

/** `WebP`; what is not known stays as it is. */
export function typeText(type: string): string {
  const names: Readonly<Record<string, string>> = {
    'image/jpeg': 'JPEG',
    'image/png': 'PNG',
    'image/webp': 'WebP',
    'image/avif': 'AVIF',
  };
  return names[type] ?? type;
}

/** How the pixels were kept. */
export function qualityText(quality: string): string {
  if (quality === 'lossless') return 'every pixel as it was';
  if (quality === 'original') return 'pixels untouched';
  return `quality ${quality}`;
}

/** Why nothing was saved, for people. */
export function reasonText({
  isSmaller,
  reason,
}: Pick<Result, 'isSmaller' | 'reason'>): string | null {
  if (isSmaller) return null;
  switch (reason) {
    case 'already-optimal':
      return 'This picture is about as small as it gets. Nothing was charged.';
    case 'animated':
      return 'Animations come back as they are. Nothing was charged.';
    case 'larger-format':
      return 'The format or size you chose takes more space for this picture. Nothing was charged.';
    default:
      return 'It did not come out smaller. Nothing was charged.';
  }
}
