import { logout } from './auth/logout.ts';
import { requestCode } from './auth/request-code.ts';
import { verifyCode } from './auth/verify-code.ts';
import { createRouter } from './http/contract.ts';

/** Sign-in by e-mail with a one-time code, and sign-out. */
export const auth = createRouter()
  .route('/', requestCode)
  .route('/', verifyCode)
  .route('/', logout);
