import { countText } from '../../text/sizes.ts';

/** What the form above the pictures holds; figures as they were typed. */
export interface TryOptions {
  readonly format: 'keep' | 'auto' | 'jpeg' | 'png' | 'webp' | 'avif';
  readonly quality: 'auto' | 'lossless' | 'own';
  readonly ownQuality: string;
  readonly width: string;
  readonly height: string;
  readonly fit: 'inside' | 'cover';
  readonly metadata: 'none' | 'copyright' | 'all';
  /** `#rrggbb`. */
  readonly background: string;
}

export const usualOptions: TryOptions = {
  format: 'keep',
  quality: 'auto',
  ownQuality: '75',
  width: '',
  height: '',
  fit: 'inside',
  metadata: 'none',
  background: '#ffffff',
};

/** What is wrong with a field, by its name. */
export type Complaints = Readonly<Partial<Record<keyof TryOptions, string>>>;

/** The API's limit, in pixels. */
export const largestSide = 16_384;

export function complaintsOf(options: TryOptions): Complaints {
  const sides = (['width', 'height'] as const)
    .filter((side) => options[side].trim() !== '' && !isWhole(options[side], largestSide))
    .map((side) => [
      side,
      `Enter whole pixels, 1 to ${countText(largestSide)}, or leave it empty.`,
    ]);
  const isQualityWrong = options.quality === 'own' && !isWhole(options.ownQuality, 100);
  return Object.fromEntries([
    ...sides,
    ...(isQualityWrong ? [['ownQuality', 'Enter a whole figure, 1 to 100.']] : []),
  ]);
}

/** The same in the API's words, what is usual left out; null where something is wrong. */
export function queryOf(options: TryOptions): string | null {
  if (Object.keys(complaintsOf(options)).length > 0) return null;
  const quality = options.quality === 'own' ? plain(options.ownQuality) : options.quality;
  const width = plain(options.width);
  const height = plain(options.height);
  const isBox = width !== '' && height !== '';
  const query = new URLSearchParams({
    ...(options.format !== usualOptions.format && { format: options.format }),
    ...(quality !== usualOptions.quality && { quality }),
    ...(width && { width }),
    ...(height && { height }),
    ...(isBox && options.fit !== usualOptions.fit && { fit: options.fit }),
    ...(options.metadata !== usualOptions.metadata && { metadata: options.metadata }),
    // a JPEG cannot be transparent; other formats keep what is transparent
    ...(options.format === 'jpeg' && { background: options.background }),
  });
  return query.toString();
}

function isWhole(text: string, largest: number): boolean {
  const value = Number(text);
  return /^\s*\d{1,5}\s*$/.test(text) && value >= 1 && value <= largest;
}

/** Without spaces and leading zeros. */
function plain(text: string): string {
  return text.trim() === '' ? '' : String(Number(text));
}
