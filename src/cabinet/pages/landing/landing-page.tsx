import { inputFacts, namesOf } from '../../../image/formats/facts.ts';
import { htmlDocument, PublicFrame, type Site } from '../frame.tsx';
import { Call, Places } from './call.tsx';
import { Encoders, Formats } from './measured.tsx';
import { type Offer, Opening } from './opening.tsx';
import { ServiceComparison } from './service-comparison.tsx';
import { Guarantees, Prices, Questions } from './terms.tsx';

/**
 * The front page: what the service does, how well, where it is used, what it guarantees and what it costs.
 * @param refusal the problem that a call with a wrong key gets
 */
export function landingPage(site: Site, offer: Offer, refusal: object): string {
  return htmlDocument({
    site,
    title: `${site.serviceName} – compress images, keep their looks`,
    hasName: true,
    description: `Compress ${namesOf(inputFacts, 'and')} files that look the same: in your browser, where they stay, or with one API call. Measured quality, never larger, colours and animation intact.`,
    path: '/',
    entry: 'landing.ts',
    children: (
      <PublicFrame site={site}>
        <Opening site={site} offer={offer} />
        <div class="chapters">
          <Formats />
          <Call site={site} refusal={refusal} />
          <Places {...offer} />
          <Encoders site={site} />
          <ServiceComparison site={site} offer={offer} />
          <Guarantees {...offer} />
          <Prices site={site} offer={offer} />
          <Questions {...offer} />
        </div>
      </PublicFrame>
    ),
  });
}
