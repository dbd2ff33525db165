import type { Failure } from '../api/failure.ts';
import { largestPicture } from './refusal.ts';

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
