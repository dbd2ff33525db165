import { writtenPath } from '../../routes/delivery/url-spelling.ts';

/** Code that shows an image of a site, or signs its URL. */
export interface DeliverySnippet {
  readonly id: string;
  /** The label of the tab. */
  readonly name: string;
  /** The language name used by highlight.ts and the code fences of `docs/`. */
  readonly language: 'text' | 'js' | 'python' | 'php' | 'ruby' | 'go';
  readonly code: string;
}

/** What the snippets are made for. */
export interface DeliveredImage {
  /** Where the service answers, without a slash at the end. */
  readonly origin: string;
  /** That of the site. */
  readonly slug: string;
  /** Whether only signed URLs are answered. */
  readonly signed: boolean;
  /** Where only presets are answered: the options to show, such as `p_card`, or `_` for none. Otherwise null. */
  readonly preset?: string | null;
  /** The image: its path below the source and its query, as they stand in a URL. */
  readonly path: string;
}

/** What stands in the code, unescaped. */
interface Values {
  /** The address below which the images of the site are, without a slash at the end. */
  readonly site: string;
  /** The path of the image, decoded; without a slash before it. */
  readonly name: string;
  /** The path as it stands in URLs. */
  readonly path: string;
  /** With its `?`, or nothing. */
  readonly query: string;
  /** What the image is asked for with. */
  readonly options: string;
}

/** The widths of an `<img>`, in pixels. */
const widths = [400, 800, 1600];
const alt = 'What it shows';

/**
 * Returns code to copy: for a signed site, programs that print the signed URL of an image, with the secret from the
 * environment variable SITE_SECRET; for others, the image in a page, and in the components of frameworks, unless these
 * could not ask for the widths that they need. Whatever the path contains, it is data in all of them.
 */
export function deliverySnippets(image: DeliveredImage): readonly DeliverySnippet[] {
  const { origin, slug, signed, preset = null } = image;
  const { segments, path, query } = writtenPath(image.path);
  const site = `${origin}/i/${slug}`;
  const values = { site, name: segments.join('/'), path, query, options: preset ?? 'w_800' };
  if (signed) {
    return [
      { id: 'node', name: 'Node', language: 'js', code: node(values) },
      { id: 'php', name: 'PHP', language: 'php', code: php(values) },
      { id: 'python', name: 'Python', language: 'python', code: python(values) },
      { id: 'ruby', name: 'Ruby', language: 'ruby', code: ruby(values) },
      { id: 'go', name: 'Go', language: 'go', code: go(values) },
    ];
  }
  if (preset !== null) {
    return [{ id: 'html', name: 'HTML', language: 'text', code: plainImage(values) }];
  }
  return [
    { id: 'html', name: 'HTML', language: 'text', code: html(values) },
    { id: 'next', name: 'Next.js', language: 'js', code: next(values) },
    { id: 'nuxt', name: 'Nuxt', language: 'js', code: nuxt(values) },
    { id: 'astro', name: 'Astro', language: 'js', code: astro(values) },
    { id: 'unpic', name: 'unpic', language: 'js', code: unpic(values) },
  ];
}

function plainImage({ site, options, path, query }: Values): string {
  return `<img src="${attribute(`${site}/${options}/${path}${query}`)}" alt="${alt}">`;
}

function html({ site, path, query }: Values): string {
  const url = (width: number) => attribute(`${site}/w_${width}/${path}${query}`);
  const candidates = widths.map((width) => `${url(width)} ${width}w`);
  return `<img
  src="${url(800)}"
  srcset="${candidates.join(',\n    ')}"
  sizes="(min-width: 800px) 800px, 100vw"
  alt="${alt}"
>`;
}

function next({ site, path, query }: Values): string {
  return `// save as image-loader.js; in next.config.js:
// images: { loader: 'custom', loaderFile: './image-loader.js' }
'use client';

const site = ${literal('js', site)};

export default function loader({ src, width, quality }) {
  return \`\${site}/w_\${width},q_\${quality ?? 'auto'}\${src}\`;
}

// <Image src="${attribute(`/${path}${query}`)}" width={800} height={600} alt="${alt}" />`;
}

/** Encodes the path itself, and has no place for a query. */
function nuxt({ site, name }: Values): string {
  return `// nuxt.config.js
export default defineNuxtConfig({
  modules: ['@nuxt/image'],
  image: {
    provider: 'ipx',
    ipx: { baseURL: ${literal('js', site)} },
  },
});

// <NuxtImg src="${attribute(`/${name}`)}" sizes="100vw md:800px" alt="${alt}" />`;
}

function astro({ site, path, query }: Values): string {
  return `---
// src/components/SiteImage.astro
// <SiteImage src={${literal('js', `/${path}${query}`)}} alt="${alt}" />
const site = ${literal('js', site)};
const { src, alt, sizes = '(min-width: 800px) 800px, 100vw' } = Astro.props;
const url = (width) => \`\${site}/w_\${width}\${src}\`;
const srcset = [${widths.join(', ')}].map((width) => \`\${url(width)} \${width}w\`).join(', ');
---
<img src={url(800)} srcset={srcset} sizes={sizes} alt={alt} />`;
}

/** The provider has no place for a query. */
function unpic({ site, path }: Values): string {
  return `import { transformUrl } from 'unpic';

const ipx = { baseURL: ${literal('js', site)} };
const url = ${literal('js', `/${path}`)};

console.log(transformUrl({ url, width: 800, provider: 'ipx' }, {}, { ipx }));

// the components of @unpic/react, vue, svelte, solid and others:
// <Image src={url} cdn="ipx" options={{ ipx }} width={800} height={600} alt="${alt}" />`;
}

function node(values: Values): string {
  return `// save as sign.mjs, run with: node sign.mjs
import { createHmac } from 'node:crypto';

const site = ${literal('js', values.site)};

function signedUrl(path, options = '_', query = '') {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const signed = \`\${options}/\${encoded}\${query}\`;
  const hmac = createHmac('sha256', process.env.SITE_SECRET).update(signed);
  return \`\${site}/~\${hmac.digest('base64url').slice(0, 24)}/\${signed}\`;
}

console.log(signedUrl(${given('js', values)}));`;
}

function php(values: Values): string {
  return `<?php
const SITE = ${literal('php', values.site)};

function signed_url(string $path, string $options = '_', string $query = ''): string
{
    $encoded = implode('/', array_map('rawurlencode', explode('/', $path)));
    $signed = "$options/$encoded$query";
    $hash = hash_hmac('sha256', $signed, getenv('SITE_SECRET'), true);
    $signature = substr(strtr(base64_encode($hash), '+/', '-_'), 0, 24);
    return SITE . "/~$signature/$signed";
}

echo signed_url(${given('php', values)}), "\\n";`;
}

function python(values: Values): string {
  return `import base64, hashlib, hmac, os
from urllib.parse import quote

SITE = ${literal('python', values.site)}

def signed_url(path, options="_", query=""):
    signed = f"{options}/{quote(path)}{query}"
    secret = os.environ["SITE_SECRET"].encode()
    digest = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(digest).decode()[:24]
    return f"{SITE}/~{signature}/{signed}"

print(signed_url(${given('python', values)}))`;
}

function ruby(values: Values): string {
  return `require "erb"
require "openssl"

SITE = ${literal('ruby', values.site)}

def signed_url(path, options = "_", query = "")
  encoded = path.split("/").map { |segment| ERB::Util.url_encode(segment) }.join("/")
  signed = "#{options}/#{encoded}#{query}"
  hash = OpenSSL::HMAC.digest("SHA256", ENV.fetch("SITE_SECRET"), signed)
  signature = [hash].pack("m0").tr("+/", "-_")[0, 24]
  "#{SITE}/~#{signature}/#{signed}"
end

puts signed_url(${given('ruby', values)})`;
}

function go(values: Values): string {
  return `// save as sign.go, run with: go run sign.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
)

const site = ${literal('go', values.site)}

func signedURL(path, options, query string) string {
	address := url.URL{Path: path}
	signed := options + "/" + address.EscapedPath() + query
	hash := hmac.New(sha256.New, []byte(os.Getenv("SITE_SECRET")))
	hash.Write([]byte(signed))
	signature := base64.URLEncoding.EncodeToString(hash.Sum(nil))[:24]
	return site + "/~" + signature + "/" + signed
}

func main() {
	fmt.Println(signedURL(${given('go', values)}))
}`;
}

/** The arguments of a call; where a query may be left out, it is. */
function given(language: keyof typeof literals, { name, options, query }: Values): string {
  const needed = query === '' && language !== 'go' ? [name, options] : [name, options, query];
  return needed.map((text) => literal(language, text)).join(', ');
}

/** How a language writes texts. */
interface LiteralRules {
  readonly quote: string;
  /** What has a meaning between these quotes, and loses it behind a backslash. */
  readonly special: RegExp;
  /** The escape of a code point. */
  readonly codePoint: (hexadecimal: string) => string;
}

const braced = (hexadecimal: string) => `\\u{${hexadecimal}}`;
const eightDigits = (hexadecimal: string) => `\\U${hexadecimal.padStart(8, '0')}`;

const literals = {
  js: { quote: "'", special: /[\\']/g, codePoint: braced },
  php: { quote: '"', special: /[\\"$]/g, codePoint: braced },
  python: { quote: '"', special: /[\\"]/g, codePoint: eightDigits },
  ruby: { quote: '"', special: /[\\"#]/g, codePoint: braced },
  go: { quote: '"', special: /[\\"]/g, codePoint: eightDigits },
} satisfies Record<string, LiteralRules>;

/**
 * What ends lines, and what shows code in another order than it runs in (https://trojansource.codes): controls, formats,
 * what Unicode has not assigned, separators of lines and paragraphs.
 */
const unseen = /[\p{C}\u2028\u2029]/gu;

/** A text as a language writes it. */
function literal(language: keyof typeof literals, text: string): string {
  const { quote, special, codePoint }: LiteralRules = literals[language];
  const escaped = text
    .replace(special, '\\$&')
    .replace(unseen, (character) => codePoint(hexadecimalOf(character)));
  return `${quote}${escaped}${quote}`;
}

/** A text between double quotes in HTML, in templates of Vue, and in JSX, which all read character references. */
function attribute(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return escaped.replace(unseen, (character) => `&#x${hexadecimalOf(character)};`);
}

function hexadecimalOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
