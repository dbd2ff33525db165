import { useState } from 'preact/hooks';
import { type Failure, failureOf, ownFailure } from '../api/failure.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';

/** A link to figures as a file. It is fetched here, since browsers do not say why a download failed. */
export function CsvDownload({ href, fileName }: { href: string; fileName: string }) {
  const [failure, setFailure] = useState<Failure | null>(null);

  async function save(event: MouseEvent) {
    event.preventDefault();
    setFailure(null);
    try {
      const response = await fetch(href);
      if (response.ok) saveAs(await response.blob(), fileName);
      else setFailure(await failureOf(response));
    } catch {
      setFailure(ownFailure('offline'));
    }
  }

  return (
    <div class="stack">
      <a class="button small" href={href} download={fileName} onClick={save}>
        Download CSV
      </a>
      <FailureNotice failure={failure} />
    </div>
  );
}

function saveAs(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
