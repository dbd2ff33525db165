import type { ImageType } from '../../../image/formats/facts.ts';
import { optionSnippet } from '../../text/snippets.ts';
import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { DocsTable } from './docs-table.tsx';
import { MarkedLine } from './marked.tsx';
import { Carriers } from './options/carriers.tsx';
import { Negotiation } from './options/negotiation.tsx';
import { optionTexts } from './options/option-texts.tsx';
import { QualityScales } from './options/quality-scales.tsx';
import { Refusals } from './options/refusals.tsx';

/** What the code decides. */
interface Figures {
  readonly fileMebibytes: number;
  readonly autoQuality: Readonly<Record<ImageType, number>>;
  /** In pixels, what each format can hold. */
  readonly longestSide: Readonly<Record<ImageType, number>>;
}

const parts = {
  sending: { id: 'sending', title: 'Three ways to send a picture' },
  overview: { id: 'overview', title: 'All options' },
  auto: { id: 'auto', title: 'format=auto and Accept' },
  scales: { id: 'scales', title: 'What quality means' },
  refused: { id: 'refused', title: 'What is refused' },
} as const;

const options = Object.entries(optionTexts);

/** /docs/options: how to say what is wanted. */
export function optionsPage(site: Site, figures: Figures): string {
  const { sending, overview, auto, scales, refused } = parts;
  return docsPage({
    site,
    path: '/docs/options',
    sections: [
      sending,
      overview,
      ...options.map(([name]) => ({ id: name, title: name })),
      auto,
      scales,
      refused,
    ],
    lead: 'POST /v1/optimize takes one picture and its options. None of them is needed: without any, the picture keeps its format and size and gets lighter.',
    children: (
      <>
        <DocsSection section={sending}>
          <Carriers origin={site.origin} fileMebibytes={figures.fileMebibytes} />
        </DocsSection>
        <DocsSection section={overview}>
          <DocsTable
            caption="Options"
            columns={['Option', 'Values', 'Default', 'What it is']}
            rows={options.map(([name, { values, fallback, summary }]) => ({
              id: name,
              cells: [
                <a href={`#${name}`} key={name}>
                  <code>{name}</code>
                </a>,
                <MarkedLine key="values" text={values} />,
                fallback,
                summary,
              ],
            }))}
          />
        </DocsSection>
        {options.map(([name, { details, example }]) => (
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
          <QualityScales auto={figures.autoQuality} />
        </DocsSection>
        <DocsSection section={refused}>
          <Refusals longestSide={figures.longestSide} />
        </DocsSection>
      </>
    ),
  });
}
