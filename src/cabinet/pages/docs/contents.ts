/** A page of the documentation. */
export interface DocsPage {
  readonly path: string;
  /** The file, relative to `docs/`; null: the page is rendered from the OpenAPI document. */
  readonly file: string | null;
  /** The level-1 heading of the file; the build checks that they are equal. */
  readonly title: string;
  readonly description: string;
  /** Whether it is a list of dated entries: search finds the page, and none of its sections. */
  readonly isLog?: boolean;
  /**
   * Whether it is about programs of others. Its headings, such as “Python” for a client in Python, do not name what most
   * people look for, so search puts other pages first unless the query says more.
   */
  readonly isAside?: boolean;
}

/** Pages under a common heading in the menu. */
interface DocsGroup {
  readonly name: string;
  readonly pages: readonly DocsPage[];
}

/** The documentation, in reading order; docs/README.md lists the same pages in the same groups. */
export const docsGroups = [
  {
    name: 'Start',
    pages: [
      {
        path: '/docs',
        file: 'README.md',
        title: 'Quick start',
        description: 'From zero to your first optimized image in five steps, with code to copy.',
      },
      {
        path: '/docs/recipes',
        file: 'recipes.md',
        title: 'Recipes',
        description:
          'Resize to WebP, convert to AVIF, crop a thumbnail: calls to copy in every language.',
      },
      {
        path: '/docs/keys',
        file: 'keys.md',
        title: 'Keys',
        description:
          'Create API keys, cap what each may use, rotate them without downtime, revoke them.',
      },
      {
        path: '/docs/accounts',
        file: 'accounts.md',
        title: 'Accounts',
        description: 'Signing in, quota mails, statistics and payments, and what they guarantee.',
      },
      {
        path: '/docs/comparison',
        file: 'comparison.md',
        title: 'Compare',
        description:
          'This service beside Tinify, ShortPixel, Kraken.io, Cloudflare Images, sharp, imgproxy and others.',
      },
      {
        path: '/docs/performance',
        file: 'performance.md',
        title: 'Performance',
        description: 'Measured bytes, CPU time, memory and cost, compared with other encoders.',
      },
      {
        path: '/docs/known-gaps',
        file: 'known-gaps.md',
        title: 'Known gaps',
        description: 'What the service does not do, or does less well than one might expect.',
      },
      {
        path: '/docs/changelog',
        file: '../CHANGELOG.md',
        title: 'Changelog',
        description: 'What changed for users of the service, the command line and the packages.',
        isLog: true,
      },
    ],
  },
  {
    name: 'API',
    pages: [
      {
        path: '/docs/call',
        file: 'call.md',
        title: 'The call',
        description: 'How to send an image, what comes back, and when a file is charged.',
      },
      {
        path: '/docs/options',
        file: 'options.md',
        title: 'Options',
        description: 'Format, quality, size and metadata: every option, its values and an example.',
      },
      {
        path: '/docs/sets',
        file: 'sets.md',
        title: 'Sets',
        description:
          'Several widths and formats of an image in one call, with the markup for them.',
      },
      {
        path: '/docs/errors',
        file: 'errors.md',
        title: 'Errors',
        description: 'Every error code: when it occurs and what to do about it.',
      },
      {
        path: '/docs/limits',
        file: 'limits.md',
        title: 'Limits',
        description: 'File sizes, pixel counts, quotas, rate limits and lifetimes.',
      },
      {
        path: '/docs/fidelity',
        file: 'fidelity.md',
        title: 'Fidelity',
        description:
          'What is preserved in an image, what is removed, and how edge cases are handled.',
      },
      {
        path: '/docs/animations',
        file: 'animations.md',
        title: 'Animations',
        description:
          'GIF, animated PNG and WebP: what is done, from which format to which, and timing.',
      },
      {
        path: '/docs/api',
        file: null,
        title: 'API reference',
        description: 'Every operation with its parameters, request bodies and responses.',
      },
    ],
  },
  {
    name: 'Integrations',
    pages: [
      {
        path: '/docs/delivery',
        file: 'delivery.md',
        title: 'Images by URL',
        description:
          'Small images straight into a page: sites, options in the URL, signatures, caching.',
      },
      {
        path: '/docs/signing',
        file: 'signing.md',
        title: 'Signed URLs',
        description:
          'Sign the URLs of images in five languages: what is signed, expiry, replacing secrets.',
      },
      {
        path: '/docs/cli',
        file: 'cli.md',
        title: 'Command line',
        description:
          'Optimize files and folders with one command: options, cache, exit status, library.',
      },
      {
        path: '/docs/action',
        file: 'action.md',
        title: 'GitHub Action',
        description:
          'Images of a pull request: a comment that says what could be smaller, a check, a commit.',
      },
      {
        path: '/docs/vite',
        file: 'vite.md',
        title: 'Vite plugin',
        description:
          'Images of a Vite build get smaller as they are written: settings, cache, failures.',
      },
      {
        path: '/docs/tinify',
        file: 'tinify.md',
        title: 'Tinify’s clients',
        description: 'How to point programs and plugins that use Tinify (TinyPNG) at this service.',
        isAside: true,
      },
    ],
  },
  {
    name: 'Operate',
    pages: [
      {
        path: '/docs/deploy',
        file: 'deploy.md',
        title: 'Deploy',
        description: 'Run the service on your own machine or on your own Cloudflare account.',
      },
      {
        path: '/docs/node',
        file: 'node.md',
        title: 'Run it on Node',
        description:
          'One machine with Node, SQLite and a mail server, without an account at Cloudflare.',
      },
      {
        path: '/docs/self-hosting',
        file: 'self-hosting.md',
        title: 'Self-hosting',
        description:
          'From a bare server to the first sign-in: containers or systemd, backup, restore, upgrade.',
      },
      {
        path: '/docs/operations',
        file: 'operations.md',
        title: 'Operations',
        description: 'Monitoring, logs, alerts, rotating secrets, updating and rolling back.',
      },
      {
        path: '/docs/scale',
        file: 'scale.md',
        title: 'Scale',
        description: 'Where files are counted, what that costs, and what gives way first.',
      },
    ],
  },
] as const satisfies readonly DocsGroup[];

type ListedPage = DocsPage & { readonly path: DocsPath };

export const docsPages: readonly ListedPage[] = docsGroups.flatMap(
  ({ pages }): readonly ListedPage[] => pages,
);

export type DocsPath = (typeof docsGroups)[number]['pages'][number]['path'];

/** A part of a page that can be linked to. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Whether it is a subsection of the section before it. */
  readonly isNested?: boolean;
}

/** The output of `scripts/build-docs.ts` for a file in `docs/`. */
export interface BuiltDocsPage {
  /** The first paragraph, as HTML. */
  readonly lead: string;
  readonly sections: readonly Section[];
  /** Everything below the lead, as HTML, with directives for content that depends on the deployment. */
  readonly html: string;
}

/** The name of the build's output for a file, among the files of the documentation. */
export function builtName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/md$/, 'json');
}

/** A page with the previous and the next one. */
export function placeOf(path: DocsPath) {
  const index = docsPages.findIndex((page) => page.path === path);
  const page = docsPages[index];
  if (!page) throw new Error(`There is no page ${path}.`);
  return { page, previous: docsPages[index - 1] ?? null, next: docsPages[index + 1] ?? null };
}
