import { docsPages } from '../../../src/cabinet/pages/docs/contents.ts';
import { type Fence, fencesOf } from './code.ts';

/** Code of the README or of a page in `docs/`. */
export interface Sample extends Fence {
  readonly page: string;
  /** Page, and title or first line. */
  readonly name: string;
}

/** Fences in these languages are code to run; the others show what comes back, or what stands in a file. */
const languages = new Set(['sh', 'js', 'python', 'php', 'go', 'ruby']);

/** Why samples are not run by test/api/docs-samples.test.ts, and what tests them instead. */
export const notRun: readonly (readonly [reason: string, isMeant: (sample: Sample) => boolean])[] =
  [
    [
      'needs an account at Cloudflare: rotation-commands.test.ts runs what it can without one',
      ({ code }) => /\bwrangler\b|npm run deploy/.test(code),
    ],
    [
      'needs a machine with root, containers or systemd: `npm run container` runs the steps of the Dockerfile',
      ({ code }) => /\b(?:sudo|docker|systemctl|journalctl|chmod)\b/.test(code),
    ],
    [
      'starts, backs up or changes a service of its own: start-command, backup and rotation tests do',
      ({ code }) =>
        /^(?:[A-Z_]+=\S+ )*(?:git clone|npm (?:start|run (?:serve|backup|restore|-s key))|node server\.js)|rotate-keys/.test(
          code.replace(/^KEY=.*\n/, ''),
        ),
    ],
    [
      'installs the package, which takes a registry: packed.test.ts does',
      ({ code }) => /^npm install|npx --package/.test(code),
    ],
    [
      'belongs to a page, a framework or a build: delivery-snippets.test.ts and the tests of the Vite plugin run it',
      ({ page, language, title, code }) =>
        language === 'js' &&
        (['vite.md', 'delivery.md', 'sets.md'].includes(page) ||
          title === 'In the page' ||
          /'fewerbytes\/delivery'/.test(code)),
    ],
    [
      'signs without a call: delivery-snippets.test.ts asks the service for what it signed',
      ({ page, language }) => page === 'signing.md' && language !== 'sh',
    ],
    [
      'is Tinify’s client, which demands https, or WordPress: test/api/tinify sends its requests',
      ({ page, code }) => page === 'tinify.md' && !/\bcurl\b/.test(code),
    ],
    [
      'needs the code of a mail: whole-life.test.ts makes the same calls with curl',
      ({ code }) => code.includes('CODE=…'),
    ],
    ['only sets a variable', ({ code }) => /^export \w+=\S+$/.test(code)],
  ];

const files = ['../README.md', ...docsPages.flatMap(({ file }) => (file === null ? [] : [file]))];

export const samples: readonly Sample[] = files.flatMap((page) =>
  fencesOf(page)
    .filter(({ language }) => languages.has(language))
    .map((fence) => {
      const { language, title, code } = fence;
      const line = code.split('\n').find((one) => !/^(?:\/\/|#|<\?php|$)/.test(one)) ?? '';
      return { ...fence, page, name: `${page}, ${title ?? `${language}: ${line}`}` };
    }),
);
