import type { RequestRecord } from '../../../src/routes/http/request-log.ts';

/** Descriptions of all members of a request's log record. */
export const logMembers = {
  event: '`request`',
  request_id: 'the `Request-Id` of the response, which a customer can quote',
  method: '`GET`, `POST`, …; `other`: one that no route knows',
  route:
    'the pattern that the path matched, such as `/v1/keys/{id}`; `none`: there is no such path',
  status: 'of the response',
  sample:
    'the share of requests that is logged, such as `0.01`, if this one was chosen at random: it stands for `1 / sample` of them',
  code: 'of the error, such as `quota_exceeded`, if the response is one',
  key_id: 'id of the API key, `key_…`, or of the site, `site_…`, once it has been recognized',
  bytes_in: 'size of the image received, once all of it is there',
  bytes_out: 'size of the image returned',
  input_type: '`jpeg`, `png`, `webp`, `avif`, `gif`',
  output_type: 'the same, of the result, and `jxl`',
  engine:
    'what made the result: `jpeg-coefficients`, `jxl-coefficients`, `png-stream`, `gif-lzw`, `raster` (pixels kept as a whole), `rows` (pixels that flow), `frames` (of an animation), or `original`',
  predicted_peak:
    'memory, in bytes, that the request is predicted to take at its peak, alone in a new isolate',
  predicted_cpu:
    'computing time, in milliseconds, that the work on the image was predicted to take',
  milliseconds:
    'until the response was ready. On Workers the clock stands still during computing, so this is waiting alone; CPU time is in the metrics of the Worker',
} as const satisfies Record<keyof RequestRecord, string>;
