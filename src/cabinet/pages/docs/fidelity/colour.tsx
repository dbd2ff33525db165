/** What becomes of colours. */
export function Colour() {
  return (
    <>
      <p>
        Colour profiles travel along into every format that knows their kind. A profile that{' '}
        <em>is</em> sRGB, judged by its numbers and not by its name, is dropped: without one, sRGB
        is what is shown. What a PNG says about its colours in other ways, and an AVIF with code
        points, becomes a small profile where the new format has no other place for it.
      </p>
      <ul>
        <li>
          CMYK photos and HDR pictures (PQ, HLG) keep their colours as they are. A change of their
          format or size is refused rather than done wrongly.
        </li>
        <li>
          Grey under a grey profile becomes sRGB in WebP and AVIF, which know profiles for colour
          only.
        </li>
        <li>
          16 bits become 8 where that is not seen. Where it would be, or under{' '}
          <code>quality=lossless</code>, they stay, or the change is refused.
        </li>
        <li>
          Ultra HDR: the gain map is dropped, and the picture that every screen shows is kept.
        </li>
      </ul>
    </>
  );
}
