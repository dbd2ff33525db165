/** The documentation, in reading order. */
export const docsPages = [
  {
    path: '/docs',
    title: 'Quick start',
    description: 'From nothing to your first smaller picture in five steps, with code to copy.',
  },
  {
    path: '/docs/options',
    title: 'Options',
    description:
      'Formats, quality, size, metadata: every option with its values and an example of its own.',
  },
  {
    path: '/docs/answers',
    title: 'Answers',
    description: 'What comes back: the picture, every header, and when a file is charged.',
  },
  {
    path: '/docs/errors',
    title: 'Errors',
    description: 'Every error code: when it happens and what to do about it.',
  },
  {
    path: '/docs/limits',
    title: 'Limits',
    description: 'How large, how many and how often: sizes, quotas, rates and lifetimes.',
  },
  {
    path: '/docs/fidelity',
    title: 'Fidelity',
    description: 'What stays as it is in your pictures, what is taken out, and what is not done.',
  },
  {
    path: '/docs/api',
    title: 'API reference',
    description: 'Every call with its parameters, bodies and answers.',
  },
  {
    path: '/docs/self-hosting',
    title: 'Self-hosting',
    description:
      'Run the service on your own machine, or deploy it to your own Cloudflare account.',
  },
] as const;

export type DocsPath = (typeof docsPages)[number]['path'];

/** A part of a page that can be linked to. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Whether it is a part of the one before. */
  readonly isNested?: boolean;
}

/** A page with the ones before and after it. */
export function placeOf(path: DocsPath) {
  const index = docsPages.findIndex((page) => page.path === path);
  const page = docsPages[index] ?? docsPages[0];
  return { page, previous: docsPages[index - 1] ?? null, next: docsPages[index + 1] ?? null };
}
