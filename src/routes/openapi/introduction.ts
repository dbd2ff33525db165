/** What holds for every call, for the OpenAPI document (CommonMark). */
export const introduction = `Send a picture, get a smaller one back in the same call. Servers call \`POST /v1/optimize\` with an API key; people sign in at the cabinet by e-mail and a one-time code, and make their keys there.

**Bodies** are JSON in UTF-8 unless said otherwise, and need \`Content-Type: application/json\`. Unknown fields are ignored; unknown options of optimize are refused. A JSON body has at most 64 KiB.

**Values.** Ids are opaque strings with a prefix of their type. Timestamps are ISO 8601 in UTC with milliseconds, days \`YYYY-MM-DD\` in UTC.

**Errors** are \`application/problem+json\` (RFC 9457). Program against \`code\`, which is stable; \`detail\` is one sentence that says what to do; \`type\` is the entry of the code on the error page. A path that does not exist is 404 \`not_found\`; a method that a path does not have is 405 \`method_not_allowed\` with \`Allow\`.

**Methods.** \`HEAD\` answers as \`GET\` does, without a body; \`OPTIONS\` with the methods of the path in \`Allow\`.

**Every answer** carries \`Request-Id\`, and headers that keep browsers from doing anything with it: \`X-Content-Type-Options: nosniff\`, a sandboxing \`Content-Security-Policy\`, \`Strict-Transport-Security\` on https.

**Browsers.** A call that changes something with the cookie is refused when it comes from a page of a foreign origin. Calls with a key never get CORS headers: keys do not belong in browsers. A cabinet on a listed origin gets CORS with credentials for the others.

**Versions.** Within \`/v1\` things are only added. A removal is announced six months ahead with the headers \`Deprecation\` and \`Sunset\`.`;

/** The groups of calls, in reading order. */
export const tags = [
  { name: 'Optimize', description: 'For servers, with an API key.' },
  { name: 'Sign-in', description: 'By e-mail and one-time code; no password.' },
  { name: 'Account', description: 'Who is signed in, and the cabinet’s own uploads.' },
  { name: 'Keys', description: 'The API keys of whoever is signed in.' },
  { name: 'Statistics', description: 'What was done with the keys.' },
  { name: 'Payment', description: 'Files beyond the free ones, in packs.' },
  { name: 'Service', description: 'The service itself; no credentials needed.' },
];
