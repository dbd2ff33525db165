/** From a code value to light, both 0 to 1. Source: IEC 61966-2-1 §5.2. */
export function srgbLight(code: number): number {
  return code <= 0.04045 ? code / 12.92 : ((code + 0.055) / 1.055) ** 2.4;
}

/** From light to a code value, both 0 to 1. */
export function srgbCode(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}
