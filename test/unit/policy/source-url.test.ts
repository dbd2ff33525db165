import { describe, expect, it } from 'vitest';
import { judgeSource, type SourceRules } from '../../../src/policy/source-url.ts';

const rules: SourceRules = {
  allowHttp: false,
  privateSources: new Set(),
  ownHosts: new Set(['img.example']),
};

/** Why a URL is refused; '' if it is allowed. */
function refusal(text: string, others: Partial<SourceRules> = {}, base?: string): string {
  const judgement = judgeSource(text, { ...rules, ...others }, base ? new URL(base) : undefined);
  switch (judgement.kind) {
    case 'allowed':
      return '';
    case 'malformed':
      return 'malformed';
    case 'refused':
      return judgement.because;
  }
}

describe('an image URL', () => {
  it.each([
    'https://images.example/a.jpg?token=x#y',
    'https://images.example:443/',
    'https://images.example:80/',
    'https://IMAGES.example./a.jpg',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/a.png',
    'https://localhost.example/',
    'https://my.mylocal/',
    'https://lan.example/',
    'https://10.example/',
    'https://münchen.example/',
  ])('%s is allowed', (url) => {
    expect(refusal(url)).toBe('');
  });

  it.each([
    '',
    'a.jpg',
    '//images.example/a.jpg',
    'https://',
    'https://a b/',
    'https://[::1',
    'https://256.1.1.1/',
  ])('%j is malformed', (url) => {
    expect(refusal(url)).toBe('malformed');
  });

  it.each([
    'http://images.example/',
    'ftp://images.example/a.jpg',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'javascript:1',
    'blob:https://images.example/1',
  ])('%s is refused for its scheme', (url) => {
    expect(refusal(url)).toContain('https://, the only scheme');
  });

  it('may begin with http:// where that is allowed', () => {
    expect(refusal('http://images.example/a.jpg', { allowHttp: true })).toBe('');
    expect(refusal('http://images.example:443/a.jpg', { allowHttp: true })).toBe('');
    expect(refusal('ftp://images.example/', { allowHttp: true })).toContain('nor http://');
  });

  it.each(['https://user@images.example/', 'https://:secret@images.example/'])(
    '%s is refused for its credentials',
    (url) => {
      expect(refusal(url)).toBe('has a user name or a password in it');
    },
  );

  it.each(['https://images.example:8443/', 'https://images.example:0/', 'https://1.1.1.1:22/'])(
    '%s is refused for its port',
    (url) => {
      expect(refusal(url)).toContain('port');
    },
  );

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '127.0.0.1.',
    '127。0。0。1',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::7f00:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:1.1.1.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[100::1]',
    '[2001::1]',
    '[2001:db8::1]',
    '[2002:7f00:1::]',
    '[2002:101:101::]',
    '[3fff::1]',
    '[4000::1]',
    '[5f00::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ])('at %s is refused for its address', (host) => {
    expect(refusal(`https://${host}/a.jpg`)).toContain('address');
  });

  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'a.localhost',
    'local',
    'printer.local',
    'printer.local.',
    'vm',
    'vm.',
    'api.default.svc',
    'nas.lan',
    'router.home.arpa',
    'wiki.corp',
    'wiki.intranet',
    'db.private',
    'internal',
    'metadata.google.internal',
  ])('at %s is refused for its name', (host) => {
    expect(refusal(`https://${host}/a.jpg`)).toContain('private network');
  });

  it.each(['img.example', 'IMG.example.', 'img.example:80', 'img.example:8443'])(
    'at the service’s own %s is refused',
    (host) => {
      expect(refusal(`https://${host}/a.jpg`)).toContain('this service itself');
    },
  );
});

describe('a private source', () => {
  const exempt = { privateSources: new Set(['10.0.0.5:8443', 'localhost:443', '[::1]:443']) };

  it.each([
    'https://10.0.0.5:8443/a',
    'https://0xa000005:8443/a',
    'https://localhost/a',
    'https://[::1]/a',
  ])('%s is allowed', (url) => {
    expect(refusal(url, exempt)).toBe('');
  });

  it.each([
    ['has another port', 'https://10.0.0.5/', 'address'],
    ['has another host', 'https://10.0.0.6:8443/', 'address'],
    ['has a name before it', 'https://a.localhost/', 'private network'],
    ['has credentials', 'https://a:b@10.0.0.5:8443/', 'password'],
    ['has another scheme', 'http://10.0.0.5:8443/', 'scheme'],
  ])('is none when it %s', (_what, url, because) => {
    expect(refusal(url, exempt)).toContain(because);
  });
});

describe('the target of a redirect', () => {
  const from = 'https://images.example/folder/a.jpg';

  it('may be relative', () => {
    expect(judgeSource('../b.jpg', rules, new URL(from))).toEqual({
      kind: 'allowed',
      url: new URL('https://images.example/b.jpg'),
    });
  });

  it.each([
    ['//127.0.0.1/a.jpg', 'address'],
    ['http://images.example/a.jpg', 'scheme'],
    ['https://[', 'malformed'],
  ])('%s is judged as any other', (location, because) => {
    expect(refusal(location, {}, from)).toContain(because);
  });
});
