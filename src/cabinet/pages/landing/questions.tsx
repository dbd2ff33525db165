import { filesText } from '../../text/formatting.ts';
import type { Offer } from './offer.ts';

/** What people ask before they begin. */
export function Questions({ freeFilesPerMonth, packs, stripe }: Offer) {
  const bought = stripe && packs.length > 0 ? '; bought ones never expire' : '';
  const questions = [
    {
      question: 'What counts as a file?',
      answer: `An image whose result is at least 1% smaller. What can’t be made smaller comes back free of charge, and so does every refusal. ${filesText(freeFilesPerMonth)} a month are free${bought}.`,
    },
    {
      question: 'Do you keep my images?',
      answer:
        'No. An image is in memory for as long as the call takes, and nowhere else: neither stored nor logged.',
    },
    {
      question: 'Will I see a difference?',
      answer:
        'Hardly, at automatic quality, and not at all with lossless. Colour profiles, orientation and transparency stay right; if a format can’t show the colours, we refuse instead of guessing.',
    },
    {
      question: 'How large may images be?',
      answer:
        '32 MiB. JPEGs from phones may have 50 megapixels and more, and become WebP or AVIF in their own size.',
    },
    {
      question: 'Can I run it myself?',
      answer:
        'Yes: it is one Worker with a database, for your own Cloudflare account or your own machine.',
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
