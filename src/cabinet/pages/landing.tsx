import {
  changeText,
  filesText,
  moneyText,
  type Price,
  sizeText,
  thousandFilesPriceText,
} from '../text/formatting.ts';
import { snippets } from '../text/snippets.ts';
import { CodeBlock } from './code-block.tsx';
import { htmlDocument, PublicFrame, type Site } from './frame.tsx';
import picture from './landing-figures.json';

interface Offer {
  readonly freeFilesPerMonth: number;
  readonly packs: readonly (Price & { readonly id: string })[];
  /** How packs are paid for; null: they cannot be bought yet. */
  readonly stripe: object | null;
}

/** The front page: what it does, in one screen. */
export function landingPage(site: Site, offer: Offer): string {
  return htmlDocument({
    site,
    title: site.serviceName,
    description:
      'Smaller JPEG, PNG, WebP and AVIF in one call: colours, orientation, transparency and animation stay as they are.',
    entry: 'landing.ts',
    children: (
      <PublicFrame site={site}>
        <Opening site={site} />
        <Promises />
        <Prices {...offer} />
      </PublicFrame>
    ),
  });
}

function Opening({ site }: { site: Site }) {
  const [curl] = snippets(site.origin, null);
  return (
    <section class="page page-section opening">
      <div class="stack">
        <h1>The same picture, in a third of the bytes</h1>
        <p class="lead">
          Your server sends an image, a smaller one comes back in the same call. JPEG, PNG, WebP and
          AVIF of up to 32 MiB, a phone’s JPEG of 50 megapixels included. No picture is stored.
        </p>
        <p class="cluster">
          <a class="button primary" href="/sign-in">
            Get an API key
          </a>
          <a class="button" href="/docs">
            Read the docs
          </a>
        </p>
        {curl && <CodeBlock code={curl.code} label="curl" />}
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
          {changeText(picture.before, picture.after)}, and still a JPEG of the same size. Drag the
          line: both are the real files.
        </figcaption>
      </figure>
    </section>
  );
}

const promises = [
  {
    title: 'Never bigger',
    text: 'Without a change of format or size, what comes back is never larger than what came in.',
  },
  {
    title: 'Colours stay',
    text: 'Colour profiles travel along. What a format cannot show is refused rather than shifted.',
  },
  {
    title: 'Upright stays upright',
    text: 'The orientation tag is kept, or the pixels are turned. Animations are never flattened.',
  },
  {
    title: 'Private',
    text: 'Places, serial numbers and thumbnails are taken out. Images are neither kept nor logged.',
  },
];

function Promises() {
  return (
    <section class="page page-section">
      <h2>Safe by default</h2>
      <div class="grid">
        {promises.map(({ title, text }) => (
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
      <h2>You pay only for bytes saved</h2>
      <p>
        A file counts when the answer is at least 1&nbsp;% smaller. What cannot be made smaller
        comes back free of charge.
      </p>
      {!stripe && <p class="soft">Packs cannot be bought here yet; free files can be used.</p>}
      <div class="grid">
        <div class="card stack">
          <h3>Free</h3>
          <p class="price">{filesText(freeFilesPerMonth)}</p>
          <p class="soft">every month, without a card</p>
        </div>
        {packs.map((pack) => (
          <div class="card stack" key={pack.id}>
            <h3>{filesText(pack.files)}</h3>
            <p class="price">{moneyText(pack.amount, pack.currency)}</p>
            <p class="soft">
              once; {thousandFilesPriceText(pack)} per 1,000 files. They do not expire.
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}

interface Side {
  readonly src: string;
  /** What is written on it. */
  readonly tag: string;
}

/** Two versions of one picture under a slider; browser/rendered/slider.ts moves it. */
function Comparison({
  alt,
  width,
  height,
  before,
  after,
}: {
  alt: string;
  width: number;
  height: number;
  before: Side;
  after: Side;
}) {
  return (
    <div class="comparison">
      <img src={before.src} alt={alt} width={width} height={height} />
      <img class="after" src={after.src} alt="" width={width} height={height} />
      <span class="tag before-tag">{before.tag}</span>
      <span class="tag after-tag">{after.tag}</span>
      <span class="divider" />
      <input
        type="range"
        min="0"
        max="100"
        defaultValue="50"
        aria-label="How much of the original is shown, in per cent"
      />
    </div>
  );
}
