import { inputFacts, namesOf } from '../../image/formats/facts.ts';
import {
  changeText,
  filesText,
  moneyText,
  type Price,
  sizeText,
  thousandFilesPriceText,
} from '../text/formatting.ts';
import { comparisonLabel } from '../text/interface.ts';
import { snippets } from '../text/snippets.ts';
import { CodeBlock } from './code-block.tsx';
import { htmlDocument, PublicFrame, type Site } from './frame.tsx';
import picture from './landing-figures.json';

interface Offer {
  readonly freeFilesPerMonth: number;
  readonly packs: readonly (Price & { readonly id: string })[];
  /** The payment provider; null if packs cannot be bought. */
  readonly stripe: object | null;
  /** What visitors may try without an account; null: nothing. */
  readonly trial: TrialOffer | null;
}

interface TrialOffer {
  /** Images on a day. */
  readonly images: number;
  /** Of an image. */
  readonly maxMiB: number;
}

/** The front page: what the service does, what it guarantees and what it costs. */
export function landingPage(site: Site, offer: Offer): string {
  return htmlDocument({
    site,
    title: site.serviceName,
    description: `Smaller ${namesOf(inputFacts, 'and')} in one call, with colours, orientation, transparency and animation intact.`,
    entry: 'landing.ts',
    children: (
      <PublicFrame site={site}>
        <Opening site={site} offer={offer} />
        <Call site={site} />
        <Guarantees />
        <Prices {...offer} />
      </PublicFrame>
    ),
  });
}

/** The drop zone, and beside it what comes of a photo. */
function Opening({ site, offer }: { site: Site; offer: Offer }) {
  const { trial } = offer;
  return (
    <section class="page page-section opening">
      <div class="stack">
        <h1>
          {trial
            ? 'Drop a photo. See what’s left to save.'
            : 'The same image in a third of the bytes'}
        </h1>
        <p class="lead">
          {namesOf(inputFacts, 'and')} in, the same image in about a third of the bytes out. By hand
          here, or by one call from your server. Images are never stored.
        </p>
        {trial && <DropZone trial={trial} freeFilesPerMonth={offer.freeFilesPerMonth} />}
        <p class="cluster">
          <a class={`button ${trial ? '' : 'primary'}`} href="/sign-in">
            Get an API key
          </a>
          <a class="button" href="/docs">
            Read the docs
          </a>
        </p>
        <noscript>
          <p class="soft">
            Trying an image here needs JavaScript; {site.serviceName}’s API does not.
          </p>
        </noscript>
      </div>
      <figure>
        <Comparison
          alt="Glass and marble balls on a wooden table by a lake"
          width={picture.width}
          height={picture.height}
          before={{ src: '/before.jpg', tag: `Before: ${sizeText(picture.before)}` }}
          after={{ src: '/after.jpg', tag: `After: ${sizeText(picture.after)}` }}
        />
        <figcaption class="soft">
          {changeText(picture.before, picture.after)}, and still a JPEG with the same dimensions.
          Drag the divider: both are the actual files.
        </figcaption>
      </figure>
    </section>
  );
}

/** Where a visitor’s images go; browser/entries/landing.ts connects it. */
function DropZone({
  trial: { images, maxMiB },
  freeFilesPerMonth,
}: {
  trial: TrialOffer;
  freeFilesPerMonth: number;
}) {
  return (
    <div id="trial" data-free-files={freeFilesPerMonth} data-max-mib={maxMiB}>
      <div class="drop-zone">
        <div class="chooser">
          <label class="button primary" for="choose-images">
            Choose images
          </label>
          <input
            id="choose-images"
            type="file"
            multiple
            accept={inputFacts
              .flatMap((facts) => [facts.mediaType, ...facts.otherMediaTypes])
              .join()}
          />
        </div>
        <p>
          or drop them here, or paste one.{' '}
          <span class="soft">
            {images} a day without an account, up to {maxMiB} MiB each.
          </span>
        </p>
      </div>
    </div>
  );
}

/** The same by one call. */
function Call({ site }: { site: Site }) {
  const [curl] = snippets(site.origin, null);
  return (
    <section class="page page-section call">
      <div class="stack">
        <h2>One call from your server</h2>
        <p class="lead">
          The image goes out, the smaller one is the answer. Up to 32 MiB, including 50-megapixel
          JPEGs from phones; no upload to fetch again later, and nothing to clean up.
        </p>
      </div>
      {curl && <CodeBlock code={`KEY='paste your API key here'\n\n${curl.code}`} label="curl" />}
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
    text: 'The orientation tag is kept, or the pixels are rotated. Animations are never flattened.',
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
      <div class="grid">
        {guarantees.map(({ title, text }) => (
          <div class="card" key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </div>
        ))}
      </div>
    </section>
  );
}

function Prices({ freeFilesPerMonth, packs, stripe }: Offer) {
  return (
    <section class="page page-section" id="prices">
      <h2>Pay only for images that get smaller</h2>
      <p>
        An image counts only if the result is at least 1% smaller. Images that can’t be made smaller
        come back free of charge.
      </p>
      {!stripe && (
        <p class="soft">Packs can’t be bought here yet, but the free files can be used.</p>
      )}
      <div class="grid">
        <div class="card stack">
          <h3>Free</h3>
          <p class="price">{filesText(freeFilesPerMonth)}</p>
          <p class="soft">every month, no card required</p>
        </div>
        {packs.map((pack) => (
          <div class="card stack" key={pack.id}>
            <h3>{filesText(pack.files)}</h3>
            <p class="price">{moneyText(pack.amount, pack.currency)}</p>
            <p class="soft">
              one-time; {thousandFilesPriceText(pack)} per 1,000 files. They never expire.
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}

/** Two versions of an image under a slider. */
interface ComparedImages {
  readonly alt: string;
  /** Of the second version, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly before: ComparedImage;
  readonly after: ComparedImage;
}

interface ComparedImage {
  readonly src: string;
  /** Label shown on the image. */
  readonly tag: string;
}

/** Two versions of an image with a slider between them, which browser/entries/landing.ts connects. */
function Comparison({ alt, width, height, before, after }: ComparedImages) {
  return (
    <div class="comparison">
      <img src={before.src} alt={alt} width={width} height={height} />
      <img class="after" src={after.src} alt="" width={width} height={height} />
      <span class="tag before-tag">{before.tag}</span>
      <span class="tag after-tag">{after.tag}</span>
      <span class="divider" />
      <input type="range" min="0" max="100" defaultValue="50" aria-label={comparisonLabel} />
    </div>
  );
}
