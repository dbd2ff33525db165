import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { FailureHeaders } from './answers/failure-headers.tsx';
import { Reasons } from './answers/reasons.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { DocsTable } from './docs-table.tsx';
import { MarkedLine } from './marked.tsx';
import type { ApiDocument } from './reference/api-document.ts';
import { headersOf } from './reference/operations.ts';

const parts = {
  example: { id: 'example', title: 'A picture comes back' },
  headers: { id: 'headers', title: 'Every header' },
  reason: { id: 'reason', title: 'When nothing was saved' },
  bigger: { id: 'never-bigger', title: 'Never bigger' },
  charging: { id: 'charging', title: 'What is charged' },
  failures: { id: 'failures', title: 'Anything but 200' },
} as const;

/** /docs/answers: what comes back, and what it means. */
export function answersPage(site: Site, api: ApiDocument): string {
  return docsPage({
    site,
    path: '/docs/answers',
    sections: Object.values(parts),
    lead: 'Status 200 means that the body is a picture. The headers say what it is, what was won, and what is left of your quota.',
    children: (
      <>
        <DocsSection section={parts.example}>
          <CodeBlock label="HTTP" code={example} />
        </DocsSection>
        <DocsSection section={parts.headers}>
          <DocsTable
            caption="Headers of a picture"
            columns={['Header', 'Example', 'Meaning']}
            rows={[contentType, ...headersOf(api, 'optimize', '200')].map((header) => ({
              id: header.name,
              cells: [
                <code key={header.name}>{header.name}</code>,
                <code key="example">{header.example}</code>,
                <MarkedLine key="text" text={header.description} />,
              ],
            }))}
          />
        </DocsSection>
        <DocsSection section={parts.reason}>
          <p>
            <code>Image-Optimized: true</code> means that the result is at least 1 % smaller than
            what came in. Otherwise it is <code>false</code>, nothing is charged, and{' '}
            <code>Image-Reason</code> says why:
          </p>
          <Reasons />
        </DocsSection>
        <DocsSection section={parts.bigger}>
          <p>
            When neither format nor size changes, what comes back is never larger than what came in.
            The last candidate is always the original itself, with the unwanted metadata taken out
            and its picture data untouched; <code>Image-Quality: original</code> says that it won. A
            width beyond the picture’s own, or <code>format=webp</code> on a WebP, changes nothing
            in this sense.
          </p>
          <p>
            A conversion that you ask for by name is made even where it takes more bytes, since you
            may need that format. If you do not, <code>format=auto</code> has the picture’s own
            format among its candidates, too, as far as <code>Accept</code> allows it.
          </p>
        </DocsSection>
        <DocsSection section={parts.charging}>
          <p>
            You pay only for bytes saved. A file is charged when the answer is 200 with{' '}
            <code>Image-Optimized: true</code>; errors and everything else are free. Free files of
            the month are used first, then those that you bought.
          </p>
          <p>
            <code>Quota-Remaining</code> counts both, after this file. One file is set aside while a
            request is worked on, so several in parallel see each other’s.{' '}
            <a href="/docs/limits#quota">How many there are</a>
          </p>
        </DocsSection>
        <DocsSection section={parts.failures}>
          <p>
            The body is <code>application/problem+json</code> then.{' '}
            <a href="/docs/errors">The errors, one by one</a>
          </p>
          <FailureHeaders />
        </DocsSection>
      </>
    ),
  });
}

const example = `HTTP/1.1 200 OK
Content-Type: image/jpeg
Content-Length: 653067
Content-Disposition: inline; filename="image.jpg"
Cache-Control: no-store
Image-Width: 4032
Image-Height: 3024
Image-Input-Type: image/jpeg
Image-Input-Bytes: 1813003
Image-Output-Bytes: 653067
Image-Quality: 77
Image-Optimized: true
Quota-Remaining: 499
Server-Timing: optimize;dur=257
Request-Id: 5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11`;

const contentType = {
  name: 'Content-Type',
  example: 'image/jpeg',
  description: 'What the picture is now.',
};
