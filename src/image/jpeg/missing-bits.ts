/** What a scan codes, as far as it counts here. */
interface CodedBand {
  readonly components: readonly { readonly index: number }[];
  readonly ss: number;
  readonly se: number;
  readonly al: number;
}

/** Of a coefficient that no scan has coded. */
export const notCoded = 255;

/** How many low bits scans leave out of each coefficient of a component, in zigzag order. */
export function missingBits(index: number, scans: readonly CodedBand[]): Uint8Array {
  const missing = new Uint8Array(64).fill(notCoded);
  for (const { components, ss, se, al } of scans) {
    if (components.some((component) => component.index === index)) missing.fill(al, ss, se + 1);
  }
  return missing;
}
