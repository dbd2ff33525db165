/**
 * Renders `docs/*.md` and CHANGELOG.md to the pages that the Worker serves under `/docs`. The same files are read on GitHub, so all
 * extensions are HTML comments or in the info string of a fence:
 *
 * - `<!-- tabs: Label -->` … `<!-- /tabs -->`: fences, each below a bold name, shown as tabs
 * - `<!-- keywords: scale, thumbnail -->`: further search terms for the section
 * - `<!-- generated: name -->` … `<!-- /generated -->`: written by `npm run docs` (test/support/docs/generated.ts), for
 *   example `<!-- generated: snippets ?format=webp&width=800 -->`: this call in all languages, as tabs
 * - `<!-- limit: name -->32<!-- /limit -->`: a constant of the code, written by `npm run docs`
 * - `<!-- setting: name -->500<!-- /setting -->`: the default; the Worker inserts its own value
 * - ` ```sh title="Label" local `: `local` keeps `http://localhost:8787`, which in all other fences becomes the origin
 *   of the service
 * - `{{package}}`: path of the tarball that the service serves, as in `http://localhost:8787{{package}}`
 */
import { posix } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import {
  type BuiltDocsPage,
  docsPages,
  type Section,
} from '../../src/cabinet/pages/docs/contents.ts';
import type { SearchEntry } from '../../src/cabinet/text/docs-search.ts';
import { codeClass } from '../../src/cabinet/text/formatting.ts';
import { highlight, type Language } from '../../src/cabinet/text/highlight.ts';

/** Default titles of fences, by language. */
const languageNames: Readonly<Record<Language, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
  ruby: 'Ruby',
  json: 'JSON',
  toml: 'TOML',
  http: 'HTTP',
  text: 'Text',
};

/** The origin on which `npm start` listens; in examples, it stands for the origin of the service. */
const exampleOrigin = 'http://localhost:8787';

const markdown = new MarkdownIt({ html: true, xhtmlOut: true });
markdown.renderer.rules.fence = (tokens, at, _options, env) =>
  codeBlock(tokens[at] as Token, env?.regionName as RegionName);
markdown.renderer.rules.code_inline = (tokens, at) => {
  const { content } = tokens[at] as Token;
  const kind = codeClass(content);
  return `<code${kind ? ` class="${kind}"` : ''}>${escaped(content)}</code>`;
};

/** Width and height in pixels, so that a page reserves space for images that load later. */
export type ImageSize = readonly [number, number];

interface RenderedDocs extends BuiltDocsPage {
  readonly title: string;
  readonly search: readonly SearchEntry[];
  /** Images that the page shows, relative to `docs/`. */
  readonly images: readonly string[];
}

/**
 * Renders a file of `docs/`.
 * @param path the path of the page on the service
 * @param sizeOf returns the size of an image, given relative to `docs/`
 * @param packagePath the path of the package on the service
 * @throws Error for content that the service cannot show: an unclosed directive, raw HTML, a link to a page that does
 * not exist, an unknown language
 */
export function renderDocs(
  source: string,
  path: string,
  sizeOf: (image: string) => ImageSize,
  packagePath: string,
): RenderedDocs {
  const tokens = markdown.parse(source.replaceAll('{{package}}', packagePath), {});
  const [open, title, , leadOpen, lead] = tokens;
  if (open?.tag !== 'h1' || leadOpen?.type !== 'paragraph_open' || !title || !lead) {
    throw new Error('A page begins with a level-1 heading and a paragraph.');
  }
  const headings = tokens.flatMap(({ type }, at) =>
    type === 'heading_open' ? [plainText(tokens[at + 1] as Token)] : [],
  );
  const page = new Page(path, plainText(title), headings, sizeOf);
  page.lead = page.inline(lead);
  page.blocks(tokens.slice(6));
  return {
    title: page.title,
    lead: page.lead,
    sections: page.sections,
    html: page.finish(),
    search: page.search,
    images: page.images,
  };
}

/** The name of the landmark that a block of code with this title is. */
type RegionName = (title: string) => string;

/** A table cell; `isName` if it contains nothing but code. */
interface TableCell {
  readonly text: string;
  readonly html: string;
  readonly isRight: boolean;
  readonly isName: boolean;
}

/** A page under construction. */
class Page {
  readonly title: string;
  readonly sections: Section[] = [];
  readonly #sectionEntries: (Omit<SearchEntry, 'text' | 'keywords'> & {
    text: string;
    keywords?: string;
  })[];
  readonly #rowEntries: SearchEntry[] = [];
  readonly images: string[] = [];
  lead = '';
  readonly #path: string;
  /** Relative to the repository. */
  readonly #file: string;
  readonly #isLog: boolean;
  readonly #isAside: boolean;
  readonly #sizeOf: (image: string) => ImageSize;
  readonly #slugs = new Map<string, number>();
  readonly #headings = new Set<string>();
  readonly #regions = new Map<string, number>();
  readonly #html: string[] = [];
  #isInSection = false;
  #isInEntry = false;

  /** @param headings all headings of the page, whose anchors must not be used for table rows */
  constructor(
    path: string,
    title: string,
    headings: readonly string[],
    sizeOf: (image: string) => ImageSize,
  ) {
    const { file, isLog, isAside } = docsPages.find((one) => one.path === path) ?? {};
    this.#path = path;
    this.#file = inRepository(file ?? 'README.md');
    this.#isLog = isLog === true;
    this.#isAside = isAside === true;
    this.#sizeOf = sizeOf;
    this.title = title;
    this.#sectionEntries = [{ path, page: title, heading: title, text: '' }];
    for (const name of headings) this.#headings.add(githubSlug(name));
  }

  /** Search entries: sections in their order, then named table rows; of a log, the page alone. */
  get search(): readonly SearchEntry[] {
    if (this.#isLog) return this.#sectionEntries.slice(0, 1);
    const entries = [...this.#sectionEntries, ...this.#rowEntries];
    return this.#isAside ? entries.map((entry) => ({ ...entry, isAside: true })) : entries;
  }

  blocks(tokens: readonly Token[]): void {
    for (let at = 0; at < tokens.length; ) {
      const token = tokens[at] as Token;
      const end = endOf(tokens, at);
      const block = tokens.slice(at, end + 1);
      if (token.type === 'html_block') at = this.#directive(tokens, at);
      else {
        if (token.type === 'heading_open') this.#heading(block);
        else this.#html.push(this.#block(block));
        at = end + 1;
      }
    }
  }

  /** The complete HTML, with every section closed. */
  finish(): string {
    this.#closeSection();
    return this.#html.join('\n');
  }

  inline(token: Token): string {
    return inlineHtml(this.#inlineTokens(token));
  }

  /**
   * The inline tokens of a paragraph, heading or cell as the service shows them; also adds the text to the search
   * entry.
   */
  #inlineTokens(token: Token): Token[] {
    this.#noteText(plainText(token));
    return unlinked((token.children ?? []).flatMap((child) => this.#inlineToken(child)));
  }

  #inlineToken(token: Token): Token[] {
    if (token.type === 'html_inline' && !isInlineDirective(token.content)) {
      throw new Error(`Raw HTML: ${token.content}`);
    }
    // Only settings are replaced by the Worker; markers of limits are dropped.
    if (token.type === 'html_inline' && /limit/.test(token.content)) return [];
    if (token.type === 'link_open')
      token.attrSet('href', linkTarget(String(token.attrGet('href')), this.#file));
    if (token.type === 'image') {
      const source = String(token.attrGet('src'));
      this.images.push(source);
      token.attrSet('src', `/docs/images/${source.slice(source.lastIndexOf('/') + 1)}`);
      token.attrSet('loading', 'lazy');
      const [width, height] = this.#sizeOf(source);
      token.attrSet('width', String(width));
      token.attrSet('height', String(height));
    }
    return [token];
  }

  /** A paragraph, list, table, fence or quotation. */
  #block(tokens: readonly Token[]): string {
    const [first] = tokens;
    if (first?.type === 'table_open') return this.#table(tokens);
    for (const token of tokens) {
      if (token.type === 'html_block') throw new Error(`Raw HTML: ${token.content}`);
      if (token.type === 'table_open') throw new Error('A table within another block.');
      if (token.type === 'inline') token.children = this.#inlineTokens(token);
    }
    return markdown.renderer.render([...tokens], markdown.options, {
      regionName: (title: string) => this.#regionName(title),
    });
  }

  /** Processes a directive comment; returns the index of the token after it. */
  #directive(tokens: readonly Token[], at: number): number {
    const text = tokens[at]?.content.trim() ?? '';
    const [, keywords] = /^<!-- keywords: (.+) -->$/.exec(text) ?? [];
    if (keywords !== undefined) {
      this.#noteKeywords(keywords);
      return at + 1;
    }
    const [, kind, argument = ''] = /^<!-- (tabs|generated): (.+) -->$/.exec(text) ?? [];
    const close = `<!-- /${kind} -->`;
    const end = tokens.findIndex(({ content }, i) => i > at && content.trim() === close);
    if (kind === undefined || end === -1)
      throw new Error(`Not a directive, or not closed: ${text}`);
    const inside = tokens.slice(at + 1, end);
    if (kind === 'tabs') this.#html.push(this.#tabs(argument, inside));
    else this.blocks(inside);
    return end + 1;
  }

  /** Bold names, each followed by a fence, as tabs. */
  #tabs(label: string, tokens: readonly Token[]): string {
    const names = tokens.filter(({ type }) => type === 'inline').map(plainText);
    const fences = tokens.filter(({ type }) => type === 'fence');
    if (names.length !== fences.length) throw new Error(`Tabs without a name each: ${label}`);
    this.#noteKeywords(names.join(' '));
    const id = this.#slug(label);
    const inputs = names.map(
      (name, i) =>
        `<input type="radio" name="${id}" id="${id}-${i}" value="${escaped(name)}"${i === 0 ? ' checked=""' : ''} />`,
    );
    const labels = names.map((name, i) => `<label for="${id}-${i}">${escaped(name)}</label>`);
    const panels = fences.map((fence, i) =>
      codeBlock(fence, (title) => this.#regionName(title), `${label}: ${names[i]}`),
    );
    return `<fieldset class="code-choice"><legend class="visually-hidden">${escaped(label)}</legend>${inputs.join('')}<div class="code-names">${labels.join('')}</div><div class="choice-panels">${panels.join('')}</div></fieldset>`;
  }

  #heading([open, inline]: readonly Token[]): void {
    if (!open || !inline) return;
    const isSection = open.tag === 'h2';
    if (isSection) this.#closeSection();
    else if (open.tag === 'h3') this.#closeEntry();
    else throw new Error(`A heading of another level: ${inline.content}`);
    const title = plainText(inline);
    // An entry for a code or an option: the heading consists of its name.
    const isEntry = !isSection && inline.children?.every(({ type }) => type === 'code_inline');
    const id = this.#slug(title);
    const entry = { path: `${this.#path}#${id}`, page: this.title, heading: title, text: '' };
    this.#sectionEntries.push(isEntry ? { ...entry, isName: true } : entry);
    this.sections.push(isSection ? { id, title } : { id, title, isNested: true });
    const text = inlineHtml(inline.children ?? []);
    const anchor = `<a class="docs-anchor" href="#${id}">${text}</a>`;
    if (isSection) {
      this.#html.push(
        `<section class="docs-section" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${anchor}</h2>`,
      );
      this.#isInSection = true;
    } else if (isEntry) {
      this.#html.push(
        `<article class="docs-entry" id="${id}" aria-labelledby="${id}-title"><h3 id="${id}-title">${anchor}</h3>`,
      );
      this.#isInEntry = true;
    } else this.#html.push(`<h3 class="docs-part" id="${id}">${anchor}</h3>`);
  }

  #closeSection(): void {
    this.#closeEntry();
    if (this.#isInSection) this.#html.push('</section>');
    this.#isInSection = false;
  }

  #closeEntry(): void {
    if (this.#isInEntry) this.#html.push('</article>');
    this.#isInEntry = false;
  }

  /** A table with the markup of `DocsTable`: cards on narrow screens, and explicit roles. */
  #table(tokens: readonly Token[]): string {
    const rows: TableCell[][] = [];
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'tr_open') rows.push([]);
      const isRight = /right/.test(String(token.attrGet('style')));
      const content = tokens[index + 1];
      if (/^t[hd]_open$/.test(token.type) && content) {
        const html = this.inline(content);
        const isName = (content.children ?? []).every(({ type }) => type === 'code_inline');
        rows.at(-1)?.push({ text: plainText(content), html, isRight, isName });
      }
    }
    const [head = [], ...body] = rows;
    const caption = this.#sectionEntries.at(-1)?.heading ?? this.title;
    // Screen readers name each cell by its column and its row.
    if ([...head, ...body.map(([name]) => name)].some((cell) => cell?.text.trim() === '')) {
      throw new Error(`A column or row without a name: ${caption}`);
    }
    const isNumeric = head.length > 1 && head.slice(1).every(({ isRight }) => isRight);
    const columns = head
      .map(({ html }) => `<th scope="col" role="columnheader">${html}</th>`)
      .join('');
    const lines = body.map(([name, ...others]) => {
      const cells = others.map(
        ({ html }, i) =>
          `<td role="cell" data-label="${escaped(head[i + 1]?.text ?? '')}"><div>${html}</div></td>`,
      );
      const id = name?.isName ? this.#rowAnchor(name.text, others) : null;
      return `<tr role="row"${id === null ? '' : ` id="${id}"`}><th scope="row" role="rowheader">${name?.html ?? ''}</th>${cells.join('')}</tr>`;
    });
    return `<table class="table docs-table${isNumeric ? ' numeric' : ''}" role="table"><caption class="visually-hidden">${escaped(caption)}</caption><thead role="rowgroup"><tr role="row">${columns}</tr></thead><tbody role="rowgroup">${lines.join('')}</tbody></table>`;
  }

  /**
   * The anchor of a row whose name is code, which also becomes a search entry; null if a heading or another row has the
   * anchor.
   */
  #rowAnchor(name: string, others: readonly TableCell[]): string | null {
    const id = githubSlug(name);
    if (id === '' || this.#headings.has(id) || this.#slugs.has(id)) return null;
    const text = others.map((cell) => cell.text).join(' ');
    const path = `${this.#path}#${id}`;
    this.#rowEntries.push({ path, page: this.title, heading: name, text, isName: true });
    return this.#slug(name);
  }

  #noteKeywords(keywords: string): void {
    const entry = this.#sectionEntries.at(-1);
    if (entry) entry.keywords = [entry.keywords, keywords].filter(Boolean).join(' ');
  }

  #noteText(text: string): void {
    const entry = this.#sectionEntries.at(-1);
    if (entry) entry.text = `${entry.text} ${text}`.trim();
  }

  /**
   * A name for a block of code that no other landmark of the page has, so that screen readers can tell them apart:
   * sections are named by their headings, and titles of code may be repeated.
   */
  #regionName(title: string): string {
    const name = this.#headings.has(githubSlug(title)) ? `${title}, code` : title;
    const count = (this.#regions.get(name) ?? 0) + 1;
    this.#regions.set(name, count);
    return count === 1 ? name : `${name}, ${count}`;
  }

  /** A unique anchor, numbered like GitHub's, so that links work in both places. */
  #slug(title: string): string {
    const slug = githubSlug(title);
    const count = this.#slugs.get(slug) ?? 0;
    this.#slugs.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  }
}

/** The anchor that GitHub assigns to a heading. */
export function githubSlug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function inlineHtml(tokens: readonly Token[]): string {
  return markdown.renderer.renderInline([...tokens], markdown.options, {});
}

function codeBlock({ info, content }: Token, regionName: RegionName, label?: string): string {
  const [language = ''] = info.split(' ');
  if (!isLanguage(language)) throw new Error(`A fence in an unknown language: "${info}"`);
  const title = label ?? /title="([^"]+)"/.exec(info)?.[1] ?? languageNames[language];
  const html = highlight(content.trimEnd(), language)
    .map(({ text, kind }) =>
      kind === null ? escaped(text) : `<span class="code-${kind}">${escaped(text)}</span>`,
    )
    .join('');
  const shown = / local\b/.test(info)
    ? html
    : html.replaceAll(exampleOrigin, `<!-- setting: origin -->${exampleOrigin}<!-- /setting -->`);
  const titleHtml = escaped(title);
  return `<div class="code-block"><div class="code-head"><span>${titleHtml}</span><button class="button small" type="button" data-copy="" hidden=""><span aria-live="polite">Copy</span><span class="visually-hidden"> ${titleHtml}</span></button></div><pre tabindex="0" role="region" aria-label="${escaped(regionName(title))}"><code>${shown}</code></pre></div>`;
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(languageNames, name);
}

/**
 * Translates a link that works on GitHub into one that works on the service; '' for files that the service does not
 * have.
 * @param from the file that has the link, relative to the repository
 */
function linkTarget(href: string, from: string): string {
  if (href.startsWith(exampleOrigin)) return href.slice(exampleOrigin.length) || '/';
  if (/^https?:/.test(href) || href.startsWith('#')) return href;
  const [path = '', hash] = href.split('#');
  const file = posix.join(posix.dirname(from), path);
  const page = docsPages.find((one) => one.file !== null && inRepository(one.file) === file);
  if (page) return page.path + (hash ? `#${hash}` : '');
  if (file.startsWith('docs/')) throw new Error(`A link that leads nowhere: ${href}`);
  return '';
}

/** The path of a file in the repository, from its path relative to `docs/`. */
function inRepository(file: string): string {
  return posix.join('docs', file);
}

/** Removes links to files of the repository; their text names the file. */
function unlinked(tokens: readonly Token[]): Token[] {
  let isOutside = false;
  return tokens.filter((token) => {
    if (token.type === 'link_open' && token.attrGet('href') === '') {
      isOutside = true;
      return false;
    }
    if (token.type === 'link_close' && isOutside) {
      isOutside = false;
      return false;
    }
    return true;
  });
}

function isInlineDirective(html: string): boolean {
  return /^<!-- (?:(?:limit|setting): \w+|\/(?:limit|setting)) -->$/.test(html);
}

/** The index of the token that closes the one at `at`; `at` itself if it is not an opening token. */
function endOf(tokens: readonly Token[], at: number): number {
  const first = tokens[at];
  if (first?.nesting !== 1) return at;
  return tokens.findIndex(
    (token, i) => i > at && token.nesting === -1 && token.level === first.level,
  );
}

function plainText(token: Token): string {
  return (token.children ?? [])
    .filter(({ type }) => type !== 'html_inline')
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('');
}

const escaped = markdown.utils.escapeHtml;
