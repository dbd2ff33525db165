import { inputFacts, namesOf } from '../../../image/formats/facts.ts';
import { dateText, filesText, moneyText, thousandFilesPriceText } from '../../text/formatting.ts';
import { keySignUp } from '../../text/interface.ts';
import { retentionOf } from '../../text/retention.ts';
import { snippets } from '../../text/snippets.ts';
import { CodeBlock } from '../code-block.tsx';
import { htmlDocument, PublicFrame, type Site } from '../frame.tsx';
import { bench } from './figures.json';
import { type Offer, Opening } from './opening.tsx';
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
      <PublicFrame site={site}>
        <Opening site={site} offer={offer} />
        <BenchmarkResults />
        <Call site={site} />
        <Guarantees {...offer} />
        <ServiceComparison {...offer} />
        <Prices {...offer} isSignedIn={site.isSignedIn === true} />
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
];

function Guarantees(offer: Offer) {
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
        <div>
          <h3>Private</h3>
          <p>Locations, serial numbers and thumbnails are removed. {retentionOf(offer).inShort}</p>
        </div>
      </div>
    </section>
  );
}

/** How many bytes other encoders need for the same quality, as this project's bench measured. */
function BenchmarkResults() {
  return (
    <section class="page page-section measured">
      <div class="stack">
        <h2>Same quality, fewer bytes</h2>
        <p class="lead">
          Compared with the best open-source encoders at the same visual quality. Green is our file,
          yellow is what you save.
        </p>
      </div>
      <ul class="bars">
        {bench.rows.map(({ format, against, pictures, ratio }) => (
          <li key={format}>
            <p>
              <strong>{format}</strong>: {Math.round(100 * (1 - ratio))}% smaller than {against}{' '}
              <span class="soft">({pictures})</span>
            </p>
            <svg viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true">
              <rect class="theirs" width="1000" height="24" rx="6" />
              <rect class="ours" width={1000 * ratio} height="24" rx="6" />
            </svg>
          </li>
        ))}
      </ul>
      <p class="soft">
        Our own benchmark, {dateText(bench.date, 'UTC')}; the method and all figures are part of the
        source. Quality is the SSIMULACRA2 score, which is designed to match what people see; our
        PNG graphics score higher than those they are compared with. Photos as PNG are the
        exception: in total, ours take more bytes than pngquant’s, at a higher score.
      </p>
    </section>
  );
}

/** The prices. Packs are shown only where they can be bought. */
function Prices({ freeFilesPerMonth, packs, stripe, isSignedIn }: Offer & { isSignedIn: boolean }) {
  const forSale = stripe ? packs : [];
  return (
    <section class="page page-section" id="prices">
      <h2>
        {forSale.length > 0
          ? 'Pay only for images that get smaller'
          : 'Only images that get smaller count'}
      </h2>
      <p>
        A file counts only if the result is at least 1% smaller. What can’t be made smaller comes
        back free of charge.
      </p>
      <div class="grid prices">
        <div class="card stack price-card">
          <h3>{filesText(freeFilesPerMonth)} a month</h3>
          <p class="price">Free</p>
          <p class="soft">Forever. No card required.</p>
          <p>
            <a class="button primary" href={isSignedIn ? '/cabinet' : keySignUp}>
              {isSignedIn ? 'Open dashboard' : 'Get a free account'}
            </a>
          </p>
        </div>
        {forSale.map((pack) => (
          <div class="card stack price-card" key={pack.id}>
            <h3>{filesText(pack.files)}</h3>
            <p class="price">{moneyText(pack.amount, pack.currency)}</p>
            <p class="soft">
              One-time payment, {thousandFilesPriceText(pack)} per 1,000 files. They never expire.
            </p>
            <p>
              <a class="button" href="/cabinet/payment">
                Buy {filesText(pack.files)}
              </a>
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}

/** Frequently asked questions. */
function Questions(offer: Offer) {
  const { freeFilesPerMonth, packs, stripe } = offer;
  const { images, requests } = retentionOf(offer);
  const bought = stripe && packs.length > 0 ? '; bought ones never expire' : '';
  const questions = [
    {
      question: 'What counts as a file?',
      answer: `An image that comes back at least 1% smaller. Images that can’t be made smaller are free, and so are failed requests. ${filesText(freeFilesPerMonth)} a month are free${bought}.`,
    },
    {
      question: 'Do you keep my images?',
      answer: `Images that you drop on this page never leave your device. ${images} ${requests}`,
    },
    {
      question: 'Will I see a difference?',
      answer:
        'Hardly at automatic quality, and not at all with lossless. Colour profiles, orientation and transparency are preserved; if a format can’t represent the colours, the request is refused.',
    },
    {
      question: 'How large may images be?',
      answer:
        'Up to 32 MiB. JPEGs from phones can have 50 megapixels and more, and convert to WebP or AVIF at full size.',
    },
    {
      question: 'Can I run it myself?',
      answer:
        'Yes. It’s one Worker with a database, and runs in your own Cloudflare account or on your own machine.',
    },
  ];
  return (
    <section class="page page-section">
      <h2>Questions</h2>
      <div class="questions">
        {questions.map(({ question, answer }) => (
          <details key={question}>
            <summary>{question}</summary>
            <p>{answer}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
