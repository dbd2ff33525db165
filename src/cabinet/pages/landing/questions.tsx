import { filesText } from '../../text/formatting.ts';
import type { Offer } from './offer.ts';

/** Frequently asked questions. */
export function Questions({ freeFilesPerMonth, packs, stripe }: Offer) {
  const bought = stripe && packs.length > 0 ? '; bought ones never expire' : '';
  const questions = [
    {
      question: 'What counts as a file?',
      answer: `An image that comes back at least 1% smaller. Images that can’t be made smaller are free, and so are failed requests. ${filesText(freeFilesPerMonth)} a month are free${bought}.`,
    },
    {
      question: 'Do you keep my images?',
      answer:
        'No. An image stays in memory for as long as the call takes. It is neither stored nor logged.',
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
