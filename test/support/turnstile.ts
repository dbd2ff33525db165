import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { LocalServer } from './local-server.ts';

export const turnstileKeys = { siteKey: '0x4AAAAAAAtest_site', secretKey: '0x4AAAAAAAtest_secret' };

/** The part of the widget that the pages use: it has a token shortly after it is requested. */
const script = `
  let count = 0;
  const widgets = [];
  function ask(id) {
    const { element, options } = widgets[id];
    element.textContent = 'Confirming';
    setTimeout(() => {
      element.textContent = 'Confirmed';
      count += 1;
      options.callback('token.' + options.sitekey + '.' + Date.now() + '.' + count);
    }, 100);
  }
  window.turnstile = {
    render(element, options) {
      widgets.push({ element, options });
      ask(widgets.length - 1);
      return String(widgets.length - 1);
    },
    reset: ask,
    remove(id) { widgets[id].element.textContent = ''; },
  };
`;

/** Verifies each token once, like Turnstile; its origin is the value for TURNSTILE_API_BASE. */
export class TurnstileStandIn extends LocalServer {
  /** Whether verification is unavailable. */
  isAway = false;
  readonly #used = new Set<string>();
  #count = 0;
  /** A token as the widget returns it. */
  token(): string {
    this.#count += 1;
    return `token.${this.#count}`;
  }

  protected override async serve(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { pathname } = new URL(request.url ?? '', 'http://stand-in');
    if (pathname === '/turnstile/v0/api.js') {
      response.setHeader('Content-Type', 'text/javascript');
      response.end(script);
    } else if (this.isAway) response.writeHead(500).end('away');
    else response.end(JSON.stringify(this.#verdict(await json(request))));
  }

  /** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
  #verdict(body: unknown): object {
    const { secret, response } = body as { secret?: string; response?: string };
    const refused = (code: string) => ({ success: false, 'error-codes': [code] });
    if (secret !== turnstileKeys.secretKey) return refused('invalid-input-secret');
    if (!response?.startsWith('token.')) return refused('invalid-input-response');
    if (this.#used.has(response)) return refused('timeout-or-duplicate');
    this.#used.add(response);
    return { success: true, 'error-codes': [], hostname: 'localhost', action: '' };
  }
}

/** The settings of a service that uses it. */
export function turnstileSettings(origin: string) {
  return {
    vars: { TURNSTILE_SITE_KEY: turnstileKeys.siteKey, TURNSTILE_API_BASE: origin },
    secrets: { TURNSTILE_SECRET_KEY: turnstileKeys.secretKey },
  };
}
