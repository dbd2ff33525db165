import type { RequestRecord } from '../../../src/routes/http/request-log.ts';

/** Descriptions of all members of a request's log record. */
export const logMembers = {
  event: '`request`',
  request_id: 'the `Request-Id` that the answer carries, and that a customer can quote',
  method: '`GET`, `POST`, …; `other` for what no route knows',
  route:
    'the pattern that the path matched, such as `/v1/keys/{id}`; `none`: there is no such path',
  status: 'of the answer',
  sample:
    'the part of the requests that is logged, such as `0.01`, where this one was chosen at random: it stands for `1 / sample` of them',
  code: 'of the problem, such as `quota_exceeded`, where the answer is one',
  key_id: 'id of the API key, `key_…`, once the key was recognised',
  bytes_in: 'size of the image that came, once it was there',
  bytes_out: 'size of the image that goes back',
  input_type: '`jpeg`, `png`, `webp`, `avif`, `gif`',
  output_type: 'the same, of the result, and `jxl`',
  engine:
    'what made the result: `jpeg-coefficients`, `jxl-coefficients`, `png-stream`, `gif-lzw`, `raster` (pixels kept as a whole), `rows` (pixels that flow), `frames` (of an animation), or `original`',
  predicted_peak:
    'memory, in bytes, that the request is counted for at its worst moment, were it alone in a new isolate',
  predicted_cpu:
    'computing time, in milliseconds, that the work on the image was predicted to take',
  milliseconds:
    'until the answer was ready. The clock of Cloudflare stands still during computing, so this is waiting; CPU time is in the metrics of the Worker',
} as const satisfies Record<keyof RequestRecord, string>;
