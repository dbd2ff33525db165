import type { ErrorCode } from '../../../errors.ts';

/** A code that leads to what /docs/errors says of it. */
export function ErrorLink({ code }: { code: ErrorCode }) {
  return (
    <a href={`/docs/errors#${code}`}>
      <code>{code}</code>
    </a>
  );
}
