import { describe, expect, it } from 'vitest';
import { renderDocs } from '../../../scripts/docs/markdown.ts';
import { parsePage } from '../../support/pages.ts';

function rendered(body: string) {
  const page = `# Title\n\nThe lead.\n\n${body}`;
  return renderDocs(page, '/docs/page', () => [800, 450], '/packages/a-1.tgz');
}

describe('a page of docs/', () => {
  it('has sections under the anchors of GitHub, and parts in them', () => {
    const page = rendered('## `format=auto` and `Accept`\n\nText.\n\n### A part\n\n## A part\n');
    expect([page.title, page.lead]).toEqual(['Title', 'The lead.']);
    expect(page.sections).toEqual([
      { id: 'formatauto-and-accept', title: 'format=auto and Accept' },
      { id: 'a-part', title: 'A part', isNested: true },
      { id: 'a-part-1', title: 'A part' },
    ]);
    const parsed = parsePage(`<main>${page.html}</main>`);
    expect(parsed.getElementsByTagName('section').length).toBe(2);
    expect(parsed.getElementById('a-part-1')?.tagName).toBe('section');
  });

  it('has an article for a heading that is code alone', () => {
    const { html } = rendered('## Codes\n\n### `not_found`\n\nText.\n');
    expect(html).toContain('<article class="docs-entry" id="not_found"');
    parsePage(`<main>${html}</main>`);
  });

  it('leads to the pages of the service, and to none of the files beside it', () => {
    const { html } = rendered(
      '[a](errors.md#not_found) [b](README.md) [c](http://localhost:8787/docs/api) [`src`](../src/x.ts)',
    );
    expect(html).toContain('<a href="/docs/errors#not_found">a</a>');
    expect(html).toContain('<a href="/docs">b</a>');
    expect(html).toContain('<a href="/docs/api">c</a>');
    expect(html).toContain('</a> <code>src</code></p>');
    expect(() => rendered('[a](nothing.md)')).toThrow('nothing.md');
  });

  it('keeps short code with hyphens in one line, and breaks long code', () => {
    const { html } = rendered('`--json` and `Authorization: Bearer fewer_…`');
    expect(html).toContain('<code class="unbroken">--json</code>');
    expect(html).toContain('<code>Authorization: Bearer fewer_…</code>');
  });

  it('leaves settings to the Worker, and limits as they are', () => {
    const { html } = rendered(
      'A <!-- setting: x -->1<!-- /setting --> <!-- limit: y -->2<!-- /limit -->.',
    );
    expect(html).toBe('<p>A <!-- setting: x -->1<!-- /setting --> 2.</p>\n');
  });

  it('has the origin of the service in its code, unless that is about this machine', () => {
    const call = 'curl http://localhost:8787/v1/health';
    const [own, local] = ['', ' local'].map(
      (more) => rendered(`\`\`\`sh${more}\n${call}\n\`\`\`\n`).html,
    );
    expect(own).toContain(
      '<!-- setting: origin -->http://localhost:8787<!-- /setting -->/v1/health',
    );
    expect(local).not.toContain('setting');
  });

  it('names the package that the service serves', () => {
    const { html } = rendered(
      '[a](http://localhost:8787{{package}})\n\n```sh\nnpm i http://localhost:8787{{package}}\n```\n',
    );
    expect(html).toContain('<a href="/packages/a-1.tgz">');
    expect(html).toContain('<!-- /setting -->/packages/a-1.tgz');
    expect(html).not.toContain('{{');
  });

  it('marks the syntax of code, which stays the text that it was', () => {
    const code = 'const a = "<b>"; // & so on';
    const { html } = rendered(`\`\`\`js title="Code"\n${code}\n\`\`\`\n`);
    const parsed = parsePage(`<main>${html}</main>`);
    expect(parsed.getElementsByTagName('pre')[0]?.textContent).toBe(code);
    expect(html).toContain('<span class="code-keyword">const</span>');
    expect(() => rendered('```cobol\nx\n```\n')).toThrow('cobol');
  });

  it('shows fences under bold names as tabs', () => {
    const { html } = rendered(
      '<!-- tabs: Call -->\n\n**curl**\n\n```sh\na\n```\n\n**Node**\n\n```js\nb\n```\n\n<!-- /tabs -->\n',
    );
    const parsed = parsePage(`<main>${html}</main>`);
    const inputs = Array.from(parsed.getElementsByTagName('input'));
    expect(inputs.map((input) => [input.getAttribute('id'), input.getAttribute('value')])).toEqual([
      ['call-0', 'curl'],
      ['call-1', 'Node'],
    ]);
    expect(() => rendered('<!-- tabs: Call -->\n\n```sh\na\n```\n\n<!-- /tabs -->\n')).toThrow(
      'Call',
    );
  });

  it('has no columns and rows without a name', () => {
    const table = (first: string, row: string) =>
      rendered(`## Part\n\n| ${first} | B |\n| --- | --- |\n| ${row} | 2 |\n`);
    expect(() => table('', '1')).toThrow('A column or row without a name: Part');
    expect(() => table('A', '')).toThrow('A column or row without a name: Part');
    expect(table('A', '1').html).toContain('role="columnheader">A</th>');
  });

  it('names each block of code so that no other landmark has the name', () => {
    const code = (title: string) => `\n\n\`\`\`sh title="${title}"\nls\n\`\`\`\n`;
    const { html } = rendered(`## PHP${code('PHP')}${code('Start')}\n## More${code('Start')}`);
    const names = [...html.matchAll(/role="region" aria-label="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual(['PHP, code', 'Start', 'Start, 2']);
    expect(html).toContain('<span>PHP</span>');
  });

  it('has tables with roles and the names of their columns in the cells', () => {
    const { html } = rendered('## Figures\n\n| Name | Count |\n| --- | ---: |\n| a | 1 |\n');
    expect(html).toContain('<table class="table docs-table numeric" role="table">');
    expect(html).toContain('<td role="cell" data-label="Count"><div>1</div></td>');
  });

  it.each(['<b>x</b>', '<!-- what: ever -->', '<!-- generated: x -->', '<div>\n\nx\n\n</div>'])(
    'has no raw HTML, nor a directive that is none: %s',
    (html) => {
      expect(() => rendered(`Text.\n\n${html}\n`)).toThrow();
    },
  );

  it('is found by its headings and the text below them', () => {
    const { search } = rendered(
      'Before.\n\n## First\n\nText with `code`.\n\n| A |\n| --- |\n| b |\n',
    );
    expect(search).toEqual([
      { path: '/docs/page', page: 'Title', heading: 'Title', text: 'The lead. Before.' },
      { path: '/docs/page#first', page: 'Title', heading: 'First', text: 'Text with code. A b' },
    ]);
  });

  it('is found by what stands in a table under a name of its own, by keywords, and by tabs', () => {
    const row = '| Value | Meaning |\n| --- | --- |\n| `larger-format` | More bytes. |\n';
    const tabs = '<!-- tabs: Call -->\n\n**Ruby**\n\n```sh\na\n```\n\n<!-- /tabs -->\n';
    const { html, search } = rendered(`## First\n\n<!-- keywords: one, two -->\n\n${row}\n${tabs}`);
    expect(html).toContain('<tr role="row" id="larger-format">');
    expect(search.slice(1)).toEqual([
      expect.objectContaining({ heading: 'First', keywords: 'one, two Ruby' }),
      {
        path: '/docs/page#larger-format',
        page: 'Title',
        heading: 'larger-format',
        text: 'More bytes.',
        isName: true,
      },
    ]);
  });

  it('leaves anchors to headings that rows have the names of', () => {
    const { html, search } = rendered('| A |\n| --- |\n| `width` |\n\n## Options\n\n### `width`\n');
    expect(html).toContain('<tr role="row"><th');
    expect(html).toContain('<article class="docs-entry" id="width"');
    expect(search.map(({ path }) => path)).toEqual([
      '/docs/page',
      '/docs/page#options',
      '/docs/page#width',
    ]);
  });
});
