/** A file that is sent to the running service. */
export interface LargePicture {
  readonly name: string;
  readonly type: 'jpeg' | 'png';
  readonly file: Uint8Array<ArrayBuffer>;
}

/** The largest body that the service takes, in bytes. */
export const mostBytes = 32 * 1024 * 1024;
