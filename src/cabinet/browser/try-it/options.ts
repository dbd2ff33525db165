import { countText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';
import { largestPicture } from './chosen-files.ts';

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

/** Names in the form above the pictures that advice refers to. */
export const formLabels = {
  keepFormat: 'As it is',
  width: 'Width, at most',
  height: 'Height, at most',
  automatic: 'Automatic',
} as const;

const keepFormat = `choose “${formLabels.keepFormat}” as the format`;
const keepSize = `leave “${formLabels.width}” and “${formLabels.height}” empty`;

/** What the service advises in the API's words, longer phrases first, and what that means in the form. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/use format=keep without width and height/g, `${keepFormat}, and ${keepSize}`],
  [/keep its format and size/g, `${keepFormat}, and ${keepSize}`],
  [/use format=keep/g, keepFormat],
  [/keep its format/g, keepFormat],
  [/keep its size/g, keepSize],
  [/leave width and height away/g, keepSize],
  [/ask for a smaller width/g, `enter a smaller “${formLabels.width}”`],
  [
    /No format that was asked for can hold this picture/g,
    `The format you chose cannot hold this picture: ${keepFormat}`,
  ],
  [/leave quality=lossless away/g, `choose “${formLabels.automatic}” as the quality`],
];

/** Words that no field of the form has, such as `format=keep` and `Option "width"`. */
const apiWords = /\w=\w|option "|\bquery\b|\bbody\b/i;

const formats: readonly (readonly [RegExp, string])[] = [
  [/\bjpeg\b/g, 'JPEG'],
  [/\bpng\b/g, 'PNG'],
  [/\bwebp\b/g, 'WebP'],
  [/\bavif\b/g, 'AVIF'],
];

/** The same failure for whoever has the form before them, and not the API's reference. */
export function inFormWords(failure: Failure): Failure {
  const message = messageOf(failure);
  return message === null ? failure : { ...failure, message };
}

function messageOf({ code, message }: Failure): string | null {
  switch (code) {
    case 'unsupported_media_type':
      return 'This file is not a picture of a kind that can be made smaller. Choose a JPEG, PNG, WebP or AVIF.';
    case 'body_too_large': {
      // where work on the file takes much more memory than the file, less fits than usual
      const limit = /\d+ [KM]iB/.exec(message)?.[0] ?? `${largestPicture} MiB`;
      return `This file is too large: with these options, one picture may have ${limit}. Make it smaller first.`;
    }
    case 'image_too_large':
      return (
        translated(message) ??
        `This picture has too many pixels for these options. Enter a smaller “${formLabels.width}”, or make the picture smaller first.`
      );
    case 'invalid_options':
      return (
        translated(message) ??
        `This picture cannot be made with these options. Try “${formLabels.keepFormat}” as the format, and ${keepSize}.`
      );
    case 'invalid_image': {
      const text = translated(message);
      if (text === null) {
        return 'This picture cannot be read. It may be damaged: take it from where it came from again.';
      }
      return text === message ? `${message} If other programs show it, save it again there.` : text;
    }
    default:
      return null;
  }
}

/** A sentence of the service with its advice in the form's words; null where words of the API remain. */
function translated(message: string): string | null {
  const text = [...phrases, ...formats].reduce(
    (sentence, [pattern, words]) => sentence.replace(pattern, words),
    message,
  );
  return apiWords.test(text) ? null : text;
}
