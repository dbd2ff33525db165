import type { Child } from 'hono/jsx';
import { inputFacts, namesOf } from '../../../image/formats/facts.ts';
import { countText, dateText, thousandFilesPriceText } from '../../text/formatting.ts';
import { retentionOf } from '../../text/retention.ts';
import type { Site } from '../frame.tsx';
import type { Offer } from './opening.tsx';

/** The day on which the documentation of the others was read. */
const readOn = '2026-11-30';

/** Another service or server, and what its own documentation says. */
interface Other {
  readonly name: string;
  readonly href: string;
  readonly formats: Child;
  readonly largest: Child;
  readonly quality: Child;
  readonly answer: Child;
  readonly kept: Child;
  readonly price: Child;
  readonly ownServer: Child;
}

const others: readonly Other[] = [
  {
    name: 'Tinify',
    href: 'https://tinypng.com/developers/reference',
    formats: 'JPEG, PNG, WebP, AVIF, JPEG XL',
    largest: 'Not mentioned',
    quality: 'Chosen for you, without a figure',
    answer: 'From a link in the response',
    kept: 'Up to 48 hours',
    price: (
      <>
        $9 after 500 free;{' '}
        <a href="https://tinify.com/blog/tinify-api-pricing-explained">conversions count twice</a>
      </>
    ),
    ownServer: 'No',
  },
  {
    name: 'ShortPixel',
    href: 'https://shortpixel.com/api-docs',
    formats: 'JPEG, PNG, GIF and more; WebP or AVIF beside them',
    largest: 'Not mentioned',
    quality: 'Lossy, glossy or lossless',
    answer: 'From a link, once it’s ready',
    kept: 'About an hour',
    price: (
      <>
        Credits, 100 a month free;{' '}
        <a href="https://shortpixel.com/knowledge-base/article/509-appsumo-2022-deal-credits-usage">
          one more for each WebP or AVIF
        </a>
      </>
    ),
    ownServer: 'No',
  },
  {
    name: 'Kraken.io',
    href: 'https://kraken.io/docs/getting-started',
    formats: 'JPEG, PNG, GIF, WebP',
    largest: 'Not mentioned',
    quality: 'Lossy, lossless or a number',
    answer: 'From a link in the response',
    kept: 'An hour',
    price: <a href="https://kraken.io/plans/">Plans by megabytes</a>,
    ownServer: 'No',
  },
  {
    name: 'Cloudflare Images',
    href: 'https://developers.cloudflare.com/images/',
    formats: 'JPEG, PNG, GIF, WebP, AVIF',
    largest: (
      <>
        100 MB and 100 megapixels;{' '}
        <a href="https://developers.cloudflare.com/images/get-started/limits/">AVIF 1,200 pixels</a>
      </>
    ),
    quality: 'A number, or one of four levels',
    answer: 'At the image’s URL',
    kept: 'In its cache, an hour at least',
    price: (
      <>
        <a href="https://developers.cloudflare.com/images/pricing/">$0.50 after 5,000 free</a>,
        counted by transformation
      </>
    ),
    ownServer: 'No',
  },
  {
    name: 'imgproxy',
    href: 'https://docs.imgproxy.net',
    formats: 'JPEG, PNG, GIF, WebP, AVIF, JPEG XL, HEIC, TIFF',
    largest: 'As you configure it',
    quality: (
      <>
        A number; by similarity{' '}
        <a href="https://docs.imgproxy.net/features/autoquality">in the paid version</a>
      </>
    ),
    answer: 'At the image’s URL',
    kept: 'Not kept; in the paid version, in a bucket or on disk',
    price: 'What your server costs; the paid version is extra',
    ownServer: 'Yes, and only there',
  },
];

/** The rows of the table: what each of the others says, and what is true here. */
function rows(offer: Offer) {
  return [
    { name: 'Formats', key: 'formats', here: `${namesOf(inputFacts, 'and')}; JPEG XL from JPEG` },
    { name: 'Largest picture', key: 'largest', here: '32 MiB, JPEGs of 50 megapixels and more' },
    {
      name: 'Quality',
      key: 'quality',
      here: 'Measured on each image, with the score in the answer; or your number, or lossless',
    },
    { name: 'Where the result is', key: 'answer', here: 'In the response to your call' },
    { name: 'How long it is kept', key: 'kept', here: retentionOf(offer).inTable },
    { name: '1,000 images', key: 'price', here: priceText(offer) },
    { name: 'On your own server', key: 'ownServer', here: 'Yes: on Node or Cloudflare' },
  ] as const;
}

/** What 1,000 images cost here: in the cheapest pack, or on Cloudflare at most, by the table that it links to. */
function priceText({ freeFilesPerMonth, packs, stripe }: Offer): Child {
  const free = `${countText(freeFilesPerMonth)} free`;
  const [cheapest] = packs.toSorted(
    (one, other) => one.amount / one.files - other.amount / other.files,
  );
  if (stripe && cheapest) return `From ${thousandFilesPriceText(cheapest)} after ${free} a month`;
  return (
    <>
      {free} a month, no more for sale;{' '}
      <a href="/docs/performance#what-computing-costs">
        under $0.04 in your own account at Cloudflare
      </a>
    </>
  );
}

/** A comparison with other services that readers can check. Narrow screens show one of them, which radio buttons choose. */
export function ServiceComparison({ site, offer }: { site: Site; offer: Offer }) {
  return (
    <section class="page band">
      <h2>Compared with others</h2>
      <fieldset class="beside">
        <legend class="visually-hidden">Compared with</legend>
        {others.map(({ name }, i) => (
          <input key={name} type="radio" name="beside" id={`beside-${i}`} checked={i === 0} />
        ))}
        <div class="beside-names">
          {others.map(({ name }, i) => (
            <label key={name} for={`beside-${i}`}>
              {name}
            </label>
          ))}
        </div>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">
                <span class="visually-hidden">What is compared</span>
              </th>
              <th scope="col" class="here">
                {site.serviceName}
              </th>
              {others.map(({ name, href }) => (
                <th scope="col" key={name}>
                  <a href={href}>{name}</a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows(offer).map(({ name, key, here }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td class="here">{here}</td>
                {others.map((other) => (
                  <td key={other.name}>{other[key]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </fieldset>
      <p class="soft small">
        According to their own documentation, linked above, as of {dateText(readOn, 'UTC')}. “Not
        mentioned” means just that. <a href="/docs/comparison">Compare</a> goes on from here.
      </p>
    </section>
  );
}
