import { factsOf, isOutputType } from '../../image/formats/facts.ts';

/** An API call in one programming language. */
export interface Snippet {
  /** The label of the tab. */
  readonly name: string;
  /** The language name used by highlight.ts and the code fences of `docs/`. */
  readonly language: 'sh' | 'js' | 'python' | 'php' | 'go' | 'ruby';
  readonly code: string;
}

/** The variable parts of a call. */
interface Call {
  readonly url: string;
  /** Null: read from the environment variable KEY. */
  readonly key: string | null;
  /** The file that the result is written to. */
  readonly output: string;
}

/**
 * Returns calls that optimize `photo.jpg`, ready to run, in several languages. All of them follow the same rules: the
 * file is written once the whole image has arrived (errors, and the pages of redirects and proxies, have other content
 * types), and one line reports the sizes. Otherwise an existing file is left unchanged, the error goes to stderr (the
 * problem with its code and detail, or the reason why the service cannot be reached), and the exit status is not 0.
 * The one for curl is shorter: it reports no sizes, shows the problem on stdout, and does not look at the content type.
 * @param key null: read from the environment variable KEY
 * @param query options of the call, such as `format=webp&width=800`, URL-encoded
 */
export function snippets(origin: string, key: string | null, query = ''): readonly Snippet[] {
  const url = `${origin}/v1/optimize${query && `?${query}`}`;
  const call = { url, key, output: outputName(query) };
  return [
    { name: 'curl', language: 'sh', code: curl(call) },
    { name: 'Node', language: 'js', code: node(call) },
    { name: 'Python', language: 'python', code: python(call) },
    { name: 'PHP', language: 'php', code: php(call) },
    { name: 'Go', language: 'go', code: go(call) },
    { name: 'Ruby', language: 'ruby', code: ruby(call) },
  ];
}

/**
 * The output file has the extension of the requested format; for `auto`, the service chooses the format, so there is no
 * extension.
 */
function outputName(query: string): string {
  const format = new URLSearchParams(query).get('format') ?? 'keep';
  if (format === 'auto') return 'smaller';
  return `smaller.${factsOf(isOutputType(format) ? format : 'jpeg').extensions[0]}`;
}

function curl({ url, key, output }: Call): string {
  return `curl -sS --fail-with-body "${url}" -H "Authorization: Bearer ${key ?? '$KEY'}" \\
  --data-binary @photo.jpg ${intoFile(output)}`;
}

/**
 * The end of a curl command with `--fail-with-body` (curl 7.76): the body goes into a file of its own, which is renamed
 * to `output` if it is the image, and otherwise shown, so that the detail of an error is on the screen, an older result
 * is left as it was, and the exit status is not 0. The shell empties that file first: unlike with `-o`, nothing old is
 * shown when the service cannot be reached. curl has no option that tells an image from the page of a redirect.
 */
export function intoFile(output: string): string {
  return `> answer && mv answer ${output} || (cat answer; false)`;
}

function node({ url, key, output }: Call): string {
  const credentials = key === null ? `\`Bearer \${process.env.KEY}\`` : `'Bearer ${key}'`;
  return `// save as optimize.mjs, run with: node optimize.mjs
import { readFile, writeFile } from 'node:fs/promises';

const photo = await readFile('photo.jpg');
const response = await fetch('${url}', {
  method: 'POST',
  headers: { Authorization: ${credentials} },
  body: photo,
});
const isImage = response.headers.get('Content-Type')?.startsWith('image/');
if (!isImage) throw new Error(await response.text());
const smaller = Buffer.from(await response.arrayBuffer());
await writeFile('${output}', smaller);
console.log(\`\${photo.length} → \${smaller.length} bytes\`);`;
}

function python({ url, key, output }: Call): string {
  const credentials = key === null ? '"Bearer " + os.environ["KEY"]' : `"Bearer ${key}"`;
  return `${key === null ? 'import os\n' : ''}import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

photo = Path("photo.jpg").read_bytes()
headers = {
    "Authorization": ${credentials},
    "Content-Type": "image/jpeg",
}
request = Request("${url}", photo, headers)
try:
    with urlopen(request, timeout=120) as response:
        smaller = response.read()
        if response.headers.get_content_maintype() != "image":
            sys.exit(smaller.decode())
except HTTPError as error:
    sys.exit(error.read().decode())
Path("${output}").write_bytes(smaller)
print(f"{len(photo)} → {len(smaller)} bytes")`;
}

/** Without a php.ini, PHP prints uncaught exceptions to stdout, so this code throws none. */
function php({ url, key, output }: Call): string {
  const credentials =
    key === null ? "'Authorization: Bearer ' . getenv('KEY')" : `'Authorization: Bearer ${key}'`;
  return `<?php
$photo = file_get_contents('photo.jpg');
$call = curl_init('${url}');
curl_setopt_array($call, [
    CURLOPT_POSTFIELDS => $photo,
    CURLOPT_HTTPHEADER => [
        ${credentials},
        'Content-Type: image/jpeg',
    ],
    CURLOPT_RETURNTRANSFER => true,
]);
$smaller = curl_exec($call);
$type = curl_getinfo($call, CURLINFO_CONTENT_TYPE);
if ($smaller === false || !str_starts_with((string) $type, 'image/')) {
    fwrite(STDERR, ($smaller ?: curl_error($call)) . "\\n");
    exit(1);
}
file_put_contents('${output}', $smaller);
echo strlen($photo), ' → ', strlen($smaller), " bytes\\n";`;
}

function go({ url, key, output }: Call): string {
  const credentials = key === null ? '"Bearer "+os.Getenv("KEY")' : `"Bearer ${key}"`;
  return `// save as optimize.go, run with: go run optimize.go
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	photo, err := os.ReadFile("photo.jpg")
	check(err)
	request, err := http.NewRequest("POST", "${url}", bytes.NewReader(photo))
	check(err)
	request.Header.Set("Authorization", ${credentials})
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	smaller, err := io.ReadAll(response.Body)
	check(err)
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "image/") {
		log.Fatal(string(smaller))
	}
	check(os.WriteFile("${output}", smaller, 0o644))
	fmt.Printf("%d → %d bytes\\n", len(photo), len(smaller))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}`;
}

/** Net::HTTP treats a body cut off by a broken connection as complete; Ruby 3.1 does not have `ignore_eof: false`. */
function ruby({ url, key, output }: Call): string {
  const credentials = key === null ? '"Bearer #{ENV[\'KEY\']}"' : `"Bearer ${key}"`;
  return `require "net/http"

photo = File.binread("photo.jpg")
headers = {
  "Authorization" => ${credentials},
  "Content-Type" => "image/jpeg"
}
url = URI("${url}")
options = { use_ssl: url.scheme == "https" }
response = Net::HTTP.start(url.host, url.port, options) { |http| http.post(url, photo, headers) }
abort response.body.to_s unless response.content_type&.start_with?("image/")
abort "half an image" if response.body.bytesize < response.content_length.to_i
File.binwrite("${output}", response.body)
puts "#{photo.bytesize} → #{response.body.bytesize} bytes"`;
}
