import { ApiError } from '../../errors.ts';
import type { ImageError } from '../../image/engine.ts';
import { overloaded } from '../http/rate-limit.ts';

/** An error of the engine as the API tells it. */
export function apiErrorOf({ code, detail, members }: ImageError): ApiError {
  return code === 'overloaded' ? overloaded() : new ApiError(code, detail, { members });
}
