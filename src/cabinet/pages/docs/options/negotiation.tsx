/** What format=auto chooses from. */
export function Negotiation() {
  return (
    <>
      <p>
        With <code>format=auto</code> the header <code>Accept</code> says what the browser at the
        other end can show. Pass it on as you got it from there: the candidates are the picture’s
        own format, WebP and AVIF, as far as it allows them. Without the header, or with{' '}
        <code>*/*</code>, all of them are. Where it allows none, the picture keeps its format.
      </p>
      <p>
        The answer carries <code>Vary: Accept</code>. A format that cannot hold the picture, say 16
        bits under <code>quality=lossless</code> in WebP, or that has no room for one so large, is
        left out without a word.
      </p>
    </>
  );
}
