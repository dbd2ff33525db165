/** `npm start`: runs the whole service on this machine until Ctrl-C. */
import { whoMaySignIn } from '../src/access/allowed-domains.ts';
import { intoFile } from '../src/cabinet/text/snippets.ts';
import { settings } from '../src/settings.ts';
import { stateDirectory } from './local/root.ts';
import { presentVars } from './local/secrets.ts';
import { startService } from './local/service.ts';

const port = Number(process.env.PORT || 8787);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error('PORT should be a number from 1 to 65535.');
  process.exit(2);
}
console.log('Starting the service …');
const service = await startService({
  port,
  stateDirectory: stateDirectory(),
  show: (text) => process.stdout.write(text),
  vars: fromEnvironment('PUBLIC_ORIGIN', 'ALLOWED_EMAIL_DOMAINS', 'SERVICE_NAME', 'CONTACT_URL'),
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
const parent = process.ppid;
setInterval(() => process.ppid !== parent && stop(), 500).unref(); // its signal may have been a SIGKILL

const { check, default: providers } = settings.ALLOWED_EMAIL_DOMAINS;
const { ALLOWED_EMAIL_DOMAINS: domains = presentVars().ALLOWED_EMAIL_DOMAINS } = process.env;
const allowed = check.parse(domains || providers);
const domainsHint =
  allowed === '*'
    ? ''
    : '\nYour domain is not among them? ALLOWED_EMAIL_DOMAINS=yours.example npm start';
const stateSetting = process.env.STATE_DIR ? `STATE_DIR=${inShell(process.env.STATE_DIR)} ` : '';
console.log(`
Sign-in mails are shown here, with the code in their subject. Ctrl-C stops the service.
${whoMaySignIn(allowed)}${domainsHint}

Get an API key, in another terminal:

  KEY=$(${stateSetting}npm run -s key -- you@gmail.com)

Optimize a picture:

  curl -sS --fail-with-body "${service.origin}/v1/optimize" -H "Authorization: Bearer $KEY" \\
    --data-binary @test/support/samples/photo.jpg ${intoFile('smaller.jpg')}

Open ${service.origin}
`);
process.exit(await service.ended);

/** A text as one word of a shell. */
function inShell(text: string): string {
  return /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Variables that are taken over from the environment where they are set. */
function fromEnvironment(...names: readonly string[]): Record<string, string> {
  const texts = names.flatMap((name) => {
    const text = process.env[name];
    return text ? [[name, text] as const] : [];
  });
  return Object.fromEntries(texts);
}

function stop(): void {
  void service.stop().then(() => process.exit(0));
}
