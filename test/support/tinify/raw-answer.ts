import { gunzipSync } from 'node:zlib';
import { rawRequest } from '../raw-request.ts';

/** A response as received over the wire. */
export interface RawTinifyAnswer {
  readonly status: number | null;
  /** Header lines, in exact spelling. */
  readonly lines: readonly string[];
  /** Without its transfer coding; JSON also without its content coding. */
  readonly body: Buffer;
  /** The value of a header with exactly this spelling; null if there is none, or more than one. */
  header(name: string): string | null;
  /** The body, which must be JSON and declare so in exactly the words that clients compare. */
  json(): Record<string, unknown>;
}

const jsonType = 'application/json';

/** Sends bytes to a service, and parses its response. */
export async function rawAnswer(origin: string, request: Uint8Array): Promise<RawTinifyAnswer> {
  const { status, head, text } = await rawRequest(new URL(origin), request);
  const [, ...lines] = head.split('\r\n');
  const header = (name: string): string | null => {
    const values = lines.filter((line) => line.startsWith(`${name}: `));
    return values.length === 1 ? (values[0]?.slice(name.length + 2) ?? null) : null;
  };
  const rest = Buffer.from(text.slice(head.length + 4), 'latin1');
  const length = header('Content-Length');
  const content = length === null ? rest : rest.subarray(0, Number(length));
  const whole = header('Transfer-Encoding') === 'chunked' ? withoutChunks(content) : content;
  // workerd compresses JSON for clients that accept it, such as Java’s.
  const isCompressed = header('Content-Encoding') === 'gzip' && header('Content-Type') === jsonType;
  const body = isCompressed ? gunzipSync(whole) : whole;
  return {
    status,
    lines,
    body,
    header,
    json: () => {
      if (header('Content-Type') !== jsonType) throw new Error(`no JSON: ${head}`);
      return JSON.parse(body.toString()) as Record<string, unknown>;
    },
  };
}

/** Decodes the chunked transfer coding (RFC 9112 §7.1). */
function withoutChunks(content: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = content.indexOf('\r\n', at);
    const length = Number.parseInt(content.toString('latin1', at, lineEnd), 16);
    if (lineEnd < 0 || !(length > 0)) return Buffer.concat(chunks);
    chunks.push(content.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}
