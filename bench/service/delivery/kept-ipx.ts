/**
 * `node kept-ipx.ts <folder of pictures> <folder of results>`: IPX behind a cache of whole responses in files, as it is
 * run, because IPX itself keeps nothing. Prints its port.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createIPX, createIPXFetchHandler, ipxFSStorage } from 'ipx';

const [, , pictures = '', results = ''] = process.argv;
const ipx = createIPXFetchHandler(createIPX({ storage: ipxFSStorage({ dir: pictures }) }));
const endOfHeaders = 0x0a;

const server = createServer(async ({ url = '' }, response) => {
  const name = createHash('sha256').update(url).digest('hex');
  const path = join(results, name);
  const kept = (await readFile(path).catch(() => null)) ?? (await made(url, path));
  const end = kept.indexOf(endOfHeaders);
  const headers = JSON.parse(kept.toString('utf8', 0, end));
  response.writeHead(200, headers).end(kept.subarray(end + 1));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(address !== null && typeof address === 'object' ? address.port : '');
});

/** What is kept of a response: its headers in one line, and its body. */
async function made(url: string, path: string): Promise<Buffer> {
  const response = await ipx(new Request(`http://127.0.0.1${url}`));
  if (!response.ok) throw new Error(await response.text());
  const body = Buffer.from(await response.arrayBuffer());
  const headers = { ...Object.fromEntries(response.headers), 'content-length': body.length };
  const kept = Buffer.concat([Buffer.from(`${JSON.stringify(headers)}\n`), body]);
  await writeFile(`${path}.part`, kept);
  await rename(`${path}.part`, path);
  return kept;
}
