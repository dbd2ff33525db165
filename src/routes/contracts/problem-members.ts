import type { ErrorCode } from '../../errors.ts';

interface Member {
  /** The errors that have it. */
  readonly of: readonly ErrorCode[];
  readonly text: string;
}

/** What some errors say besides what all of them say; code stands in backticks. */
export const problemMembers = {
  errors: {
    of: ['invalid_request', 'invalid_options'],
    text: 'Every complaint: `path` names the field or option, `message` says what is wrong with it.',
  },
  free_resets_at: { of: ['quota_exceeded'], text: 'When the next free files are there.' },
  limit_bytes: { of: ['body_too_large'], text: 'The most bytes that are taken.' },
  width: { of: ['image_too_large'], text: 'Pixels across, upright.' },
  height: { of: ['image_too_large'], text: 'Pixels down, upright.' },
  limit_pixels: {
    of: ['image_too_large'],
    text: 'Pixels that would fit, shaped like this picture.',
  },
  supported: { of: ['unsupported_media_type'], text: 'For an image: the media types to send.' },
} as const satisfies Record<string, Member>;

/** The further members of an error. */
export function membersOf(code: ErrorCode): readonly { name: string; text: string }[] {
  const all: readonly (readonly [string, Member])[] = Object.entries(problemMembers);
  return all.filter(([, { of }]) => of.includes(code)).map(([name, { text }]) => ({ name, text }));
}

/** Whether an error that may have a member always has it. Not every complaint is about fields. */
export function isRequired(name: keyof typeof problemMembers): boolean {
  return name !== 'errors';
}
