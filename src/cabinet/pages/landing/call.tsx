import { snippets } from '../../text/snippets.ts';
import { CodeBlock, CodeChoice } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import type { Offer } from './opening.tsx';

/** How to optimize an image with one API call, and what an error looks like. */
export function Call({ site, refusal }: { site: Site; refusal: object }) {
  return (
    <section class="page spread call">
      <div class="stack">
        <h2>One call from your server</h2>
        <p>
          POST an image and get the smaller one in the response. Up to 32 MiB, including
          50-megapixel JPEGs from phones. No jobs to poll, nothing to clean up.
        </p>
        <p>
          If something is wrong, the answer is JSON that says what to do, with a{' '}
          <a href="/docs/errors">code that stays the same</a>. Your original is never touched.
        </p>
        <p>
          <a href="/docs">Quick start</a>, <a href="/docs/options">options</a>,{' '}
          <a href="/docs/api">API reference</a>
        </p>
      </div>
      <div class="stack">
        <CodeChoice id="call" label="POST /v1/optimize" choices={snippets(site.origin, null)} />
        <div class="refusal">
          <CodeBlock
            code={JSON.stringify(refusal, null, 2)}
            label="What a wrong key gets: HTTP 401"
            language="json"
          />
        </div>
      </div>
    </section>
  );
}

/** A way to use the engine. */
interface Place {
  readonly name: string;
  readonly href: string;
  readonly text: string;
  /** A line of code that shows it, where there is room. */
  readonly code: string;
}

const places: readonly Place[] = [
  {
    name: 'Command line',
    href: '/docs/cli',
    text: 'Files and folders on your own machine, without a key.',
    code: 'fewerbytes --in-place photos/',
  },
  {
    name: 'Library',
    href: '/docs/cli#as-a-library',
    text: 'The same engine for Node and for pages, in WebAssembly.',
    code: "await optimize('photo.jpg')",
  },
  {
    name: 'Vite',
    href: '/docs/vite',
    text: 'Images of a build, and srcset from one import.',
    code: 'plugins: [optimizeImages()]',
  },
  {
    name: 'GitHub Action',
    href: '/docs/action',
    text: 'Tells a pull request which images could be smaller.',
    code: 'on: pull_request',
  },
  {
    name: 'Images by URL',
    href: '/docs/delivery',
    text: 'Resized on the way to the browser, made once and kept.',
    code: '<img src="/i/shop/w_800/cup.jpg">',
  },
];

/** Programs that use Tinify's API, and are answered here as well. */
const tinifyPlaces: readonly Place[] = [
  {
    name: 'WordPress',
    href: '/docs/tinify#wordpress',
    text: 'TinyPNG’s own plugin, pointed at this service.',
    code: 'plugins/tiny-compress-images',
  },
  {
    name: 'Tinify’s clients',
    href: '/docs/tinify',
    text: 'PHP, Python, Ruby, Java, .NET and Node stay as they are.',
    code: 'tinify.from_file("photo.jpg")',
  },
];

const ownServer: Place = {
  name: 'Your own server',
  href: '/docs/self-hosting',
  text: 'The whole service: Node with systemd, or Cloudflare.',
  code: 'npm run serve',
};

/** Where else the engine runs, one line each. */
export function Places({ tinifyApi }: Offer) {
  const all = [...places, ...(tinifyApi ? tinifyPlaces : []), ownServer];
  return (
    <section class="page band">
      <h2>Use it where you are</h2>
      <ul class="places">
        {all.map(({ name, href, text, code }) => (
          <li key={name}>
            <h3>
              <a href={href}>{name}</a>
            </h3>
            <p>{text}</p>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
