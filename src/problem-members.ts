/** Members of a problem object besides those of every problem; code is in backticks. */
export const problemMembers = {
  errors: {
    text: 'One entry per problem: `path` names the field or option, `message` says what is wrong with it.',
    // Not every invalid request is about fields.
    isAlwaysPresent: false,
  },
  free_resets_at: { text: 'When the next free files become available.', isAlwaysPresent: true },
  limit: {
    text: 'How many files the key may use per UTC month: its `monthly_limit`.',
    isAlwaysPresent: true,
  },
  resets_at: { text: 'When the next month begins, in UTC.', isAlwaysPresent: true },
  limit_bytes: { text: 'The maximum number of bytes accepted.', isAlwaysPresent: true },
  width: { text: 'Width of the upright image in pixels.', isAlwaysPresent: true },
  height: { text: 'Height of the upright image in pixels.', isAlwaysPresent: true },
  limit_pixels: {
    text: 'How many pixels would fit, at the proportions of this image; of an animation, in each frame.',
    isAlwaysPresent: true,
  },
  frames: {
    text: 'How many frames the animation has, if that is what makes it too large.',
    isAlwaysPresent: false,
  },
  limit_frames: {
    text: 'How many frames of this size would fit; sent with `frames`.',
    isAlwaysPresent: false,
  },
  smallest_bytes: {
    text: 'The size of the smallest result that still has an acceptable quality, in bytes.',
    isAlwaysPresent: true,
  },
  limit_results: {
    text: 'How many results of a set would not take too long together, if that is what is wrong.',
    isAlwaysPresent: false,
  },
  supported: { text: 'The media types that this call accepts.', isAlwaysPresent: true },
} as const;

export type ProblemMember = keyof typeof problemMembers;
