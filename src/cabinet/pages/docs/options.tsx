import { carrierSnippets, optionSnippet } from '../../text/snippets.ts';
import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { CodeChoice } from './code-choice.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { DocsTable } from './docs-table.tsx';
import { optionTexts } from './option-texts.tsx';

const parts = {
  sending: { id: 'sending', title: 'Three ways to send a picture' },
  overview: { id: 'overview', title: 'All options' },
  auto: { id: 'auto', title: 'format=auto and Accept' },
  scales: { id: 'scales', title: 'What quality means' },
  refused: { id: 'refused', title: 'What is refused' },
} as const;

const names = Object.keys(optionTexts);

/** /docs/options: how to say what is wanted. */
export function optionsPage(site: Site): string {
  const { sending, overview, auto, scales, refused } = parts;
  return docsPage({
    site,
    path: '/docs/options',
    sections: [
      sending,
      overview,
      ...names.map((name) => ({ id: name, title: name })),
      auto,
      scales,
      refused,
    ],
    lead: 'POST /v1/optimize takes one picture and up to seven options. None of them is needed: without any, the picture keeps its format and size and gets lighter.',
    children: (
      <>
        <DocsSection section={sending}>
          <Carriers origin={site.origin} />
        </DocsSection>
        <DocsSection section={overview}>
          <DocsTable
            caption="Options"
            columns={['Option', 'Values', 'Default', 'What it is']}
            rows={Object.entries(optionTexts).map(([name, { values, fallback, summary }]) => ({
              id: name,
              cells: [
                <a href={`#${name}`} key={name}>
                  <code>{name}</code>
                </a>,
                values,
                fallback,
                summary,
              ],
            }))}
          />
        </DocsSection>
        {Object.entries(optionTexts).map(([name, { details, example }]) => (
          <DocsSection section={{ id: name, title: name }} key={name}>
            {details}
            <CodeBlock
              label={example.says}
              code={optionSnippet(site.origin, example.query, example.from, example.to)}
            />
          </DocsSection>
        ))}
        <DocsSection section={auto}>
          <Negotiation />
        </DocsSection>
        <DocsSection section={scales}>
          <p>
            <code>Image-Quality</code> in the answer says which figure was used.
          </p>
          <DocsTable
            caption="Quality by format"
            columns={['Format', 'auto', '1 to 100', 'lossless']}
            rows={scaleRows}
          />
          <p>
            A JPEG that was coded harder than what is asked for keeps its coefficients as they are:
            coding them finer would add bytes and no detail. Nor does it get a higher quality in
            another format than it had, unless it is reduced to less than half of its sides.
          </p>
        </DocsSection>
        <DocsSection section={refused}>
          <Refusals />
        </DocsSection>
      </>
    ),
  });
}

function Carriers({ origin }: { origin: string }) {
  return (
    <>
      <p>One picture a request, of at most 32 MiB, and its options in one place:</p>
      <CodeChoice id="carrier" label="One picture" choices={carrierSnippets(origin)} />
      <ul>
        <li>
          <strong>Bytes.</strong> The picture is the body, the options are the query. Any{' '}
          <code>Content-Type</code> but the two below will do, since the bytes decide what it is.
        </li>
        <li>
          <strong>Form.</strong> <code>multipart/form-data</code> with the picture as{' '}
          <code>file</code>, once, and the options as fields.
        </li>
        <li>
          <strong>URL.</strong> <code>application/json</code> with the <code>url</code> of a picture
          and the options beside it.{' '}
          <a href="/docs/limits#urls">What is fetched, and what is not</a>
        </li>
      </ul>
      <p>
        With a form or JSON the query has to be empty. An option that is unknown or given twice is
        refused, so that a misspelt one is noticed at once.
      </p>
    </>
  );
}

function Negotiation() {
  return (
    <>
      <p>
        With <code>format=auto</code> the header <code>Accept</code> says what the browser at the
        other end can show. Pass it on as you got it from there: the candidates are the picture’s
        own format, WebP and AVIF, as far as it allows them. Without the header, or with{' '}
        <code>*/*</code>, all of them are. Where it allows none, the picture keeps its format.
      </p>
      <p>
        The answer carries <code>Vary: Accept</code>. What cannot hold the picture, say 16 bits
        under <code>quality=lossless</code> in WebP, is left out without a word.
      </p>
    </>
  );
}

const scaleRows = [
  {
    id: 'jpeg',
    cells: [
      'JPEG',
      '77',
      'What libjpeg’s figures look like: 75 shows as much as 75 there, in fewer bytes.',
      'Every coefficient stays. Only for a JPEG that keeps its size.',
    ],
  },
  {
    id: 'png',
    cells: [
      'PNG',
      '80',
      'A palette of up to 256 colours where that shows so little; otherwise lossless. 100 is lossless.',
      'Every sample stays, 16 bits included.',
    ],
  },
  {
    id: 'webp',
    cells: [
      'WebP',
      '86, or lossless where the source is a lossless WebP',
      'The scale of libwebp.',
      'Every sample stays, 8 bits.',
    ],
  },
  {
    id: 'avif',
    cells: ['AVIF', '72', 'The scale of libavif’s encoder.', 'Every sample stays, 8 bits.'],
  },
];

function Refusals() {
  return (
    <>
      <p>
        <a href="/docs/errors#invalid_options">
          <code>400 invalid_options</code>
        </a>{' '}
        says what does not go together. None of this is charged:
      </p>
      <ul>
        <li>A name that is no option, a name given twice, a value out of range.</li>
        <li>Options in the query beside a form or JSON.</li>
        <li>
          <code>fit=cover</code> without both <code>width</code> and <code>height</code>.
        </li>
        <li>
          A transparent picture to JPEG without <code>background</code>.
        </li>
        <li>
          <code>quality=lossless</code> for a JPEG that comes from another format or changes its
          size.
        </li>
        <li>
          <code>quality=lossless</code> for samples of more than 8 bits that change their format or
          size.
        </li>
        <li>
          <code>quality=lossless</code> for grey under a grey profile to WebP or AVIF, which know
          profiles for colour only.
        </li>
        <li>A side of more than 16,383 pixels to WebP, 65,500 to JPEG, 65,536 to AVIF.</li>
      </ul>
      <p>
        <a href="/docs/errors#invalid_image">
          <code>422 invalid_image</code>
        </a>{' '}
        is the answer where the picture itself stands in the way: a change of format or size of an
        animation, a CMYK picture, or an HDR picture (PQ, HLG). Without such a change all of these
        are welcome.
      </p>
    </>
  );
}
