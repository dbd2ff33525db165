/** What falls on the sensor: linear light of three channels, and the distance of each pixel. */
export interface Exposure {
  readonly width: number;
  readonly height: number;
  readonly light: Float32Array;
  readonly distance: Float32Array;
}
