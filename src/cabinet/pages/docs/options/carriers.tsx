import { carrierSnippets } from '../../../text/snippets.ts';
import { CodeChoice } from '../code-choice.tsx';

/** The ways to send a picture and its options. */
export function Carriers({ origin, fileMebibytes }: { origin: string; fileMebibytes: number }) {
  return (
    <>
      <p>One picture a request, of at most {fileMebibytes} MiB, and its options in one place:</p>
      <CodeChoice id="carrier" label="One picture" choices={carrierSnippets(origin)} />
      <ul>
        <li>
          <strong>Bytes.</strong> The picture is the body, the options are the query. Any{' '}
          <code>Content-Type</code> but the two below will do, since the bytes decide what it is.
        </li>
        <li>
          <strong>Form.</strong> <code>multipart/form-data</code> with the picture as{' '}
          <code>file</code>, once, and the options as fields.
        </li>
        <li>
          <strong>URL.</strong> <code>application/json</code> with the <code>url</code> of a picture
          and the options beside it.{' '}
          <a href="/docs/limits#urls">What is fetched, and what is not</a>
        </li>
      </ul>
      <p>
        With a form or JSON the query has to be empty. An option that is unknown or given twice is
        refused, so that a misspelt one is noticed at once.
      </p>
    </>
  );
}
