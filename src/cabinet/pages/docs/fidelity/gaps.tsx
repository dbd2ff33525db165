/** What is not done, or not as well as one could wish. */
export function Gaps() {
  return (
    <ul>
      <li>GIF, SVG, HEIC, TIFF and JPEG XL are not read. Animations are not made smaller.</li>
      <li>
        A photo that is written as a PNG palette may be judged too well now and then: the measure is
        quick, and off by some points.
      </li>
      <li>A large JPEG may come out sequential instead of progressive, in a few more bytes.</li>
      <li>
        A profile made of look-up tables is carried along, but such a picture is reduced as if its
        tones were those of sRGB.
      </li>
      <li>
        The light of an AVIF is taken from its container: one that says PQ only inside its coded
        data is taken for sRGB.
      </li>
      <li>
        Damage that leaves a JPEG readable, such as a few surplus bytes before a marker, is not
        always noticed.
      </li>
      <li>
        Large pictures have <a href="/docs/limits#pixels">limits</a>, above all as WebP and AVIF.
      </li>
    </ul>
  );
}
