import type { Child } from 'hono/jsx';
import { whoMaySignIn } from '../../../access/allowed-domains.ts';
import { filesText, moneyText, thousandFilesPriceText } from '../../text/formatting.ts';
import { keySignUp } from '../../text/interface.ts';
import { retentionOf } from '../../text/retention.ts';
import { license, type Site } from '../frame.tsx';
import type { Offer } from './opening.tsx';

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
    title: 'Whole or not at all',
    text: 'A damaged file is refused with a code that says so. Half a picture never comes back.',
  },
  {
    title: 'An exact bill',
    text: 'The quota is exact under any number of parallel calls. Errors and crashes are never charged.',
  },
];

export function Guarantees(offer: Offer) {
  return (
    <section class="page spread">
      <h2>Safe by default</h2>
      <div class="guarantees">
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

/** The prices, in one row. Packs are shown only where they can be bought. */
export function Prices({ site, offer }: { site: Site; offer: Offer }) {
  const { freeFilesPerMonth, allowedEmailDomains, packs, stripe } = offer;
  const forSale = stripe ? packs : [];
  return (
    <section class="page band" id="prices">
      <h2>
        {forSale.length > 0
          ? 'Pay only for images that get smaller'
          : 'Only images that get smaller count'}
      </h2>
      <p class="lead">
        A file counts only if the result is at least 1% smaller. What can’t be made smaller comes
        back free of charge.
        {forSale.length === 0 && <BeyondFree {...offer} />}
      </p>
      <div class="prices">
        <PriceCard title={`${filesText(freeFilesPerMonth)} a month`} price="Free">
          <p>
            Forever, for every account. No card required.
            {allowedEmailDomains !== '*' && ` ${whoMaySignIn(allowedEmailDomains)}`}
          </p>
          <p>
            <a class="button primary" href={site.isSignedIn ? '/cabinet' : keySignUp}>
              {site.isSignedIn ? 'Open dashboard' : 'Get a free account'}
            </a>
          </p>
        </PriceCard>
        {forSale.map((pack) => (
          <PriceCard
            key={pack.id}
            title={filesText(pack.files)}
            price={moneyText(pack.amount, pack.currency)}
          >
            <p>
              One-time payment, {thousandFilesPriceText(pack)} per 1,000 files. They never expire.
            </p>
            <p>
              <a class="button" href="/cabinet/payment">
                Buy {filesText(pack.files)}
              </a>
            </p>
          </PriceCard>
        ))}
        {forSale.length === 0 && site.links.contact !== '' && (
          <PriceCard title="More than that" price="Ask">
            <p>The operator can add files to your account.</p>
            <p>
              <a class="button" href={site.links.contact}>
                Ask for more
              </a>
            </p>
          </PriceCard>
        )}
        {forSale.length < 3 && <OwnMachines />}
      </div>
    </section>
  );
}

/** What to do where nothing is sold. The cost is the highest of the table that it links to. */
function BeyondFree({ freeFilesPerMonth }: Offer) {
  return (
    <>
      {' '}
      No more are for sale here: beyond {filesText(freeFilesPerMonth)} a month,{' '}
      <a href="/docs/self-hosting">run it yourself</a>. At Cloudflare’s prices, 1,000 images{' '}
      <a href="/docs/performance#what-computing-costs">come to under $0.04</a>.
    </>
  );
}

/** What costs nothing here, because the work is done elsewhere. */
function OwnMachines() {
  return (
    <>
      <PriceCard title="On your own machine" price="Free">
        <p>This page, the command line and the library count nothing and need no account.</p>
        <p>
          <a class="button" href="/docs/cli">
            Use the command line
          </a>
        </p>
      </PriceCard>
      <PriceCard title="On your own server" price="MIT license">
        <p>
          The whole service on Node or Cloudflare, with limits that you set;{' '}
          <a href={license}>the license</a>.
        </p>
        <p>
          <a class="button" href="/docs/self-hosting">
            Run it yourself
          </a>
        </p>
      </PriceCard>
    </>
  );
}

function PriceCard(card: { title: string; price: string; children: Child }) {
  return (
    <div class="card price-card">
      <h3>{card.title}</h3>
      <p class="price">{card.price}</p>
      {card.children}
    </div>
  );
}

/** Frequently asked questions. */
export function Questions(offer: Offer) {
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
        'Yes, under the MIT license: with Node on your own server, or in your own Cloudflare account.',
    },
  ];
  return (
    <section class="page spread">
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
