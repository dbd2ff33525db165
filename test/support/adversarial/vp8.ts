import { joined } from './bit-writer.ts';

/**
 * A lossy WebP's frame (RFC 6386 §9) with eight token partitions, whose coded data are these bytes: any bytes are
 * macroblocks of some kind.
 */
export function frameOfTokens(
  width: number,
  height: number,
  { modes, tokens }: { readonly modes: Uint8Array; readonly tokens: Uint8Array },
): Uint8Array<ArrayBuffer> {
  const head = firstPartition(modes);
  const tag = (1 << 4) | (head.length << 5);
  const size = [width, height].flatMap((side) => [side & 255, side >> 8]);
  const part = Math.floor(tokens.length / 8);
  const sizes = Array.from({ length: 7 }, () => [part & 255, (part >> 8) & 255, part >> 16]).flat();
  return joined(
    Uint8Array.of(tag & 255, (tag >> 8) & 255, tag >> 16, 0x9d, 0x01, 0x2a, ...size),
    head,
    Uint8Array.from(sizes),
    tokens,
  );
}

/** The header, in which every bit has a probability of one half (RFC 6386 §9.2 to §9.11), then any data. */
function firstPartition(modes: Uint8Array): Uint8Array {
  const to = new EvenBits();
  // Color space and clamping, no segments, the normal filter at its highest level and sharpness 0, no adjustments.
  to.put(0, 2).put(0, 1).put(0, 1).put(63, 6).put(0, 3).put(0, 1);
  // Eight partitions, quantizer 40 without deltas, probabilities are kept.
  to.put(3, 2).put(40, 7).put(0, 5).put(1, 1);
  return joined(to.bytes, modes);
}

/** Writes bits of equal probability as the boolean encoder of RFC 6386 §7.3 does. */
class EvenBits {
  readonly #bytes: number[] = [];
  #range = 255;
  #bottom = 0;
  #count = 24;

  put(value: number, bits: number): this {
    for (let bit = bits - 1; bit >= 0; bit -= 1) this.#putBit((value >> bit) & 1);
    return this;
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  #putBit(bit: number): void {
    const split = 1 + (((this.#range - 1) * 128) >> 8);
    if (bit) {
      this.#bottom += split;
      this.#range -= split;
    } else {
      this.#range = split;
    }
    while (this.#range < 128) {
      this.#range <<= 1;
      if (this.#bottom >= 2 ** 31) this.#carry();
      this.#bottom = (this.#bottom * 2) % 2 ** 32;
      this.#count -= 1;
      if (this.#count > 0) continue;
      this.#bytes.push(Math.floor(this.#bottom / 2 ** 24) & 255);
      this.#bottom %= 2 ** 24;
      this.#count = 8;
    }
  }

  #carry(): void {
    for (let i = this.#bytes.length - 1; i >= 0; i -= 1) {
      const byte = this.#bytes[i] ?? 0;
      this.#bytes[i] = (byte + 1) & 255;
      if (byte < 255) return;
    }
  }
}
