import { inputFacts, namesOf } from '../../../image/formats/facts.ts';
import { snippets } from '../../text/snippets.ts';
import { CodeBlock } from '../code-block.tsx';
import { htmlDocument, PublicFrame, type Site } from '../frame.tsx';
import { BenchmarkResults } from './benchmark-results.tsx';
import type { Offer } from './offer.ts';
import { Opening } from './opening.tsx';
import { Prices } from './prices.tsx';
import { Questions } from './questions.tsx';
import { ServiceComparison } from './service-comparison.tsx';

/** The front page: what the service does, how well, what it guarantees and what it costs. */
export function landingPage(site: Site, offer: Offer): string {
  return htmlDocument({
    site,
    title: site.serviceName,
    description: `Drop a photo and see what’s left to save: smaller ${namesOf(inputFacts, 'and')} by hand or in one call, with colours, orientation, transparency and animation intact.`,
    preview: '/preview.jpg',
    entry: 'landing.ts',
    children: (
      <PublicFrame site={site} isSignedIn={offer.isSignedIn}>
        <Opening site={site} offer={offer} />
        <BenchmarkResults />
        <Call site={site} />
        <Guarantees />
        <ServiceComparison />
        <Prices {...offer} />
        <Questions {...offer} />
      </PublicFrame>
    ),
  });
}

/** How to optimize the image with one API call. */
function Call({ site }: { site: Site }) {
  const [curl] = snippets(site.origin, null);
  return (
    <section class="page page-section call">
      <div class="stack">
        <h2>One call from your server</h2>
        <p class="lead">
          POST an image and get the smaller one in the response. Up to 32 MiB, including
          50-megapixel JPEGs from phones. No jobs to poll, nothing to clean up.
        </p>
      </div>
      {curl && (
        <CodeBlock
          code={`KEY='paste your API key here'\n\n${curl.code}`}
          label={curl.name}
          language={curl.language}
        />
      )}
    </section>
  );
}

const guarantees = [
  {
    title: 'Never larger',
    text: 'Unless you change the format or the dimensions, the result is never larger than the original.',
  },
  {
    title: 'Faithful colours',
    text: 'Colour profiles are kept. If a format can’t represent the colours, the request is refused.',
  },
  {
    title: 'Right way up',
    text: 'The orientation tag is kept, or the pixels are rotated. Animations keep moving at the same pace.',
  },
  {
    title: 'Private',
    text: 'Locations, serial numbers and thumbnails are removed. Images are neither stored nor logged.',
  },
];

function Guarantees() {
  return (
    <section class="page page-section">
      <h2>Safe by default</h2>
      <div class="grid guarantees">
        {guarantees.map(({ title, text }) => (
          <div key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </div>
        ))}
      </div>
    </section>
  );
}
