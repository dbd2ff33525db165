import { formatFacts } from '../../../image/formats/facts.ts';
import { sizeText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';
import { supportedNames } from './chosen-files.ts';

/** Labels of the options form that messages refer to. */
export const formLabels = {
  keepFormat: 'Keep original',
  width: 'Max. width',
  height: 'Max. height',
  automatic: 'Automatic',
  maxKilobytes: 'At most, in KB',
  animation: 'Animations',
  firstFrame: 'First frame',
} as const;

const keepFormat = `choose “${formLabels.keepFormat}” as the format`;
const keepSize = `leave “${formLabels.width}” and “${formLabels.height}” empty`;

/** Advice in the API's messages, with its equivalent in terms of the form. Longer phrases come first. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/use format=keep without width and height/g, `${keepFormat}, and ${keepSize}`],
  [/keep its format and size/g, `${keepFormat}, and ${keepSize}`],
  [/use format=keep/g, keepFormat],
  [/keep its format/g, keepFormat],
  [/keep its size/g, keepSize],
  [/request a smaller width/g, `enter a smaller “${formLabels.width}”`],
  [
    /No format that was asked for can hold this picture/g,
    `The format you chose cannot hold this picture: ${keepFormat}`,
  ],
  [
    /No format that was asked for can hold this animation/g,
    `The format you chose cannot hold this animation: ${keepFormat}`,
  ],
  [/ask for animation=first/g, `choose “${formLabels.firstFrame}” under “${formLabels.animation}”`],
  [
    /(\S+) cannot hold another format or size without loss/g,
    'A $1 can only be lossless if it was one before, and keeps its size',
  ],
  [/\bsend (?=a )/g, 'choose '],
  [/leave quality=lossless away/g, `choose “${formLabels.automatic}” as the quality`],
];

/** API terms that mean nothing in the form, such as `format=keep` and `Option "width"`. */
const apiWords = /\w=\w|option "|\bquery\b|\bbody\b/i;

/** Rephrases an API failure in terms of the options form. */
export function inFormWords(failure: Failure): Failure {
  const message = messageOf(failure);
  return message === null ? failure : { ...failure, message };
}

function messageOf({ code, message, smallestBytes }: Failure): string | null {
  switch (code) {
    case 'unsupported_media_type':
      return `This file isn’t a supported image. Choose ${supportedNames}.`;
    case 'body_too_large': {
      // The limit is lower if processing takes much more memory than the file.
      const limit = /\d+ [KM]iB/.exec(message)?.[0];
      return `This file is too large${limit ? `: with these options, the limit is ${limit}` : ''}. Make it smaller first.`;
    }
    case 'image_too_large':
      return (
        translated(message) ??
        `This image has too many pixels for these options. Enter a smaller “${formLabels.width}”, or make the image smaller first.`
      );
    case 'max_bytes_unreachable': {
      const size =
        smallestBytes === undefined ? '' : ` takes at least ${sizeText(smallestBytes)} and`;
      return `With these options, this image${size} doesn’t fit. Enter a smaller “${formLabels.width}”, choose another format, or allow more.`;
    }
    case 'invalid_options':
      return (
        translated(message) ??
        `This image can’t be created with these options. Try “${formLabels.keepFormat}” as the format, and ${keepSize}.`
      );
    case 'invalid_image': {
      const text = translated(message);
      if (text === null) {
        return 'This image can’t be read. It may be damaged: get a new copy from its source.';
      }
      return text === message
        ? `${message} If other programs can open it, save it again there.`
        : text;
    }
    default:
      return null;
  }
}

/** Translates a message of the service into terms of the form; returns null if API terms remain. */
function translated(message: string): string | null {
  const inForm = phrases.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
  const text = formatFacts.reduce(
    (sentence, { type, name }) => sentence.replace(new RegExp(`\\b${type}\\b`, 'g'), name),
    inForm,
  );
  return apiWords.test(text) ? null : text;
}
