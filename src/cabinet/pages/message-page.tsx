import { htmlDocument, PublicFrame, type Site } from './frame.tsx';

/** A page that says one thing, and where to go from here. */
function messagePage(site: Site, title: string, text: string): string {
  return htmlDocument({
    site,
    title,
    entry: 'docs.ts',
    children: (
      <PublicFrame site={site}>
        <div class="page page-section stack">
          <h1>{title}</h1>
          <p>{text}</p>
          <p class="cluster">
            <a class="button" href="/">
              Home
            </a>
            <a class="button" href="/docs">
              Documentation
            </a>
          </p>
        </div>
      </PublicFrame>
    ),
  });
}

export function notFoundPage(site: Site): string {
  return messagePage(site, 'Not found', 'There is no page at this address.');
}

export function failedPage(site: Site, requestId: string): string {
  return messagePage(
    site,
    'Something failed on our side',
    `Try again in a moment. If it stays, quote this number: ${requestId}`,
  );
}
