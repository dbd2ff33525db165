import { OpenAPIHono } from '@hono/zod-openapi';
import type { z } from 'zod';
import { ApiError } from '../../errors.ts';
import type { AppEnv } from './context.ts';

/** A router whose contracts refuse what does not fit them with `invalid_request`. */
export function createRouter<RouteEnv extends AppEnv = AppEnv>(): OpenAPIHono<RouteEnv> {
  return new OpenAPIHono<RouteEnv>({
    defaultHook(result) {
      if (!result.success) throw invalidRequest(result.error.issues);
    },
  });
}

/** The wire's word for input that does not fit, every complaint with the path it is about. */
export function invalidRequest(
  issues: readonly Pick<z.core.$ZodIssue, 'path' | 'message'>[],
): ApiError {
  const errors = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = errors;
  const subject = first?.path ? `"${first.path}"` : 'The body';
  return new ApiError('invalid_request', `${subject}: ${first?.message ?? 'does not fit'}.`, {
    members: { errors },
  });
}
