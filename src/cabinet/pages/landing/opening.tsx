import type { AllowedDomains } from '../../../access/allowed-domains.ts';
import { inputFacts, namesOf } from '../../../image/formats/facts.ts';
import { changeText, type Price, sizeText } from '../../text/formatting.ts';
import {
  comparisonLabel,
  keySignUp,
  workbench,
  workbenchInvitation,
} from '../../text/interface.ts';
import type { RetentionSettings } from '../../text/retention.ts';
import { filesOfImport, license, type Site } from '../frame.tsx';
import { ByteBar } from './byte-bar.tsx';
import { photo } from './figures.json';

/** What this deployment offers, and to whom. */
export interface Offer extends RetentionSettings {
  readonly freeFilesPerMonth: number;
  readonly allowedEmailDomains: AllowedDomains;
  readonly packs: readonly (Price & { readonly id: string })[];
  /** The payment provider; null if packs cannot be bought. */
  readonly stripe: object | null;
}

/** The drop zone, next to a comparison of a photo before and after. */
export function Opening({ site, offer }: { site: Site; offer: Offer }) {
  const { isSignedIn } = site;
  return (
    <section class="page opening">
      <div class="stack">
        <h1>
          <span>Compress images.</span> <span class="looks">Keep their looks.</span>
        </h1>
        <p class="lead">
          Smaller {namesOf(inputFacts, 'and')} files that look the same: here in your browser, with
          one POST from your code, or on <a href="/docs/self-hosting">your own server</a> (
          <a href={license}>MIT</a>).
        </p>
        <noscript>
          <p class="notice warn">
            Optimizing images here needs JavaScript; {site.serviceName}’s API does not.
          </p>
        </noscript>
        <DropZone {...offer} isSignedIn={isSignedIn === true} />
        <p class="cluster">
          <a class="button" href={isSignedIn ? workbench : keySignUp}>
            {isSignedIn ? workbenchInvitation : 'Get an API key'}
          </a>
          <a class="button" href="/docs">
            Read the docs
          </a>
        </p>
      </div>
      <figure>
        <Comparison
          alt="Two macaws, a yellow one in front of a red one"
          width={photo.width}
          height={photo.height}
          before={{ src: '/before.jpg', tag: `Before, ${sizeText(photo.before)}` }}
          after={{ src: '/after.jpg', tag: `After, ${sizeText(photo.after)}` }}
        />
        <figcaption>
          <ByteBar kept={photo.after} of={photo.before} track={photo.before} />
          <p class="bar-ends">
            <span>
              <strong>{sizeText(photo.after)}</strong> kept
            </span>
            <span>
              <strong>{sizeText(photo.before - photo.after)}</strong> saved,{' '}
              {changeText(photo.before, photo.after)}
            </span>
          </p>
          <p class="soft small">
            Still a JPEG, {photo.width} × {photo.height}. Drag the divider: both are the actual
            files. Photo: Kodak’s test image 23.
          </p>
        </figcaption>
      </figure>
    </section>
  );
}

/** The drop zone for a visitor's images, which browser/entries/landing.ts activates. */
function DropZone({
  freeFilesPerMonth,
  isSignedIn,
}: Pick<Offer, 'freeFilesPerMonth'> & { isSignedIn: boolean }) {
  const mediaTypes = inputFacts.flatMap((facts) => [facts.mediaType, ...facts.otherMediaTypes]);
  return (
    <div
      id="images"
      data-files={filesOfImport('browser/workbench/front-page.tsx', 'landing.ts').join(' ')}
      data-free-files={freeFilesPerMonth}
      data-signed-in={isSignedIn ? '' : undefined}
    >
      <div class="drop-zone">
        <div class="cluster">
          <div class="chooser">
            <label class="button primary" for="choose-images">
              Choose images
            </label>
            <input id="choose-images" type="file" multiple accept={mediaTypes.join()} />
          </div>
          <label class="button folder-chooser for-pointers">
            Choose folder
            <input type="file" webkitdirectory="" />
          </label>
        </div>
        <p>
          <span class="for-pointers">or drop them here, or paste one. </span>
          <span class="soft">
            Your images stay on this device: as many as you like, up to 100 megapixels.
          </span>
        </p>
      </div>
    </div>
  );
}

/** Two versions of an image, compared with a slider. */
interface ComparedImages {
  readonly alt: string;
  /** Size of the images, in pixels. */
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

/** Two versions of an image with a slider between them, which browser/entries/landing.ts activates. */
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
