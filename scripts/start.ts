/** `npm start`: the whole service on this machine, until Ctrl-C. */

import { stateDirectory } from './local/root.ts';
import { writeSamples } from './local/sample-files.ts';
import { startService } from './local/service.ts';

const port = Number(process.env.PORT || 8787);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error('PORT should be a number from 1 to 65535.');
  process.exit(2);
}
const [picture] = await writeSamples();
const service = await startService({
  port,
  stateDirectory: stateDirectory(),
  verbose: true,
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

const elsewhere = process.env.STATE_DIR ? `STATE_DIR=${process.env.STATE_DIR} ` : '';
console.log(`
  Listening on ${service.origin}

  Get an API key, in another terminal:

    KEY=$(${elsewhere}npm run -s key -- you@gmail.com)

  Make a picture smaller:

    curl -sS "${service.origin}/v1/optimize?format=webp" \\
      -H "Authorization: Bearer $KEY" \\
      --data-binary @${picture} -o photo.webp -D -

  Sign-in mails are shown here, with the code in their subject. Ctrl-C stops it.
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void service.stop().then(() => process.exit(0)));
}
process.exit(await service.ended);
