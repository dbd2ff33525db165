import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { sharedTestService, type TestService } from '../../../test/support/service.ts';
import { CountingProxy } from '../../fewerbytes/test/support/counting-proxy.ts';
import { newFolder } from '../../fewerbytes/test/support/folders.ts';
import { GitHub } from './support/github.ts';
import { Job } from './support/job.ts';

let service: TestService;
let proxy: CountingProxy;
let github: GitHub;
let job: Job;

beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

beforeEach(async () => {
  proxy = await new CountingProxy(service.url).start();
  github = await new GitHub().start();
  job = new Job(await newFolder(onTestFinished), github);
});
afterEach(async () => {
  await proxy.stop();
  await github.stop();
});

const withKey = (inputs: Readonly<Record<string, string>> = {}) => ({
  inputs: { url: proxy.origin, key: service.key, ...inputs },
});

it('the changed images of a pull request stand in one comment, which later runs rewrite; nothing is written or sent twice', {
  tags: 'slow',
}, async () => {
  await job.push({ 'old.png': 'interface.png' }, 'main');
  await job.push({
    'site/photo 1.jpg': 'photo.jpg',
    'a|`b`.PNG': 'logo.png',
    'notes.md': 'README.md',
  });
  await job.clone('merge');
  const first = await job.run(withKey());
  expect(first.code, first.log).toBe(0);
  expect(first.outputs).toMatchObject({ images: '2', smaller: '2' });
  const [comment] = github.comments;
  expect(comment?.body).toBe(first.summary.trimEnd());
  expect(comment?.body).toMatch(/### \d+\.\d kB could be saved in 2 images/);
  expect(comment?.body).toMatch(/\| `site\/photo 1\.jpg` \| 475\.9 kB \| 124\.\d kB \| −74% \|/);
  expect(comment?.body).toContain('| <code>a&#124;&#96;b&#96;&#46;PNG</code> | 65.1 kB |');
  expect(comment?.body).toContain('Nothing was committed.');
  expect(first.log).not.toContain(`key=${service.key}`);

  github.comments.unshift({
    ...github.comments[0],
    id: 50,
    user: { login: 'x', type: 'User' },
  } as never);
  const second = await job.run(withKey());
  expect(second.code).toBe(0);
  expect(github.comments).toHaveLength(2);
  expect(github.calls.at(-1)).toBe('PATCH /repos/somebody/photos/issues/comments/1');
  expect(proxy.requests).toBe(2);
});

it('a token of a user finds the comment of that user, and no other', { tags: 'slow' }, async () => {
  await job.push({ 'photo.jpg': 'photo.jpg' });
  await job.clone();
  github.owner = 'maintainer';
  github.add('<!-- smaller-images -->\n### copied', 'User');
  for (const _ of ['first', 'second']) expect((await job.run(withKey())).code).toBe(0);
  expect(github.comments.map(({ user }) => user.login)).toEqual(['somebody', 'maintainer']);
  expect(github.comments[0]?.body).toContain('### copied');
});

it('without a key, as in a fork, the runner does the work, though the comment is refused', {
  tags: 'slow',
}, async () => {
  github.mayWrite = false;
  await job.push({ 'photo.jpg': 'photo.jpg' });
  await job.clone();
  const ended = await job.run({ inputs: { url: proxy.origin, key: '' }, from: 'stranger/photos' });
  expect(ended.code, ended.log).toBe(0);
  expect(ended.log).toContain('::notice::No API key, as in pull requests from forks');
  expect(ended.log).toContain('::notice::GitHub has refused the comment (403).');
  expect(ended.summary).toMatch(/\| `photo\.jpg` \| 475\.9 kB \| 124\.\d kB \| −74% \|/);
  expect(proxy.requests).toBe(0);
});

it('a comment that GitHub cannot be reached for fails no job', { tags: 'slow' }, async () => {
  await job.push({ 'photo.jpg': 'photo.jpg' });
  await job.clone();
  await github.stop();
  const ended = await job.run({});
  expect(ended.code, ended.log).toBe(0);
  expect(ended.log).toContain('::notice::The comment could not be written (fetch failed).');
  expect(ended.outputs).toMatchObject({ images: '1', smaller: '1' });
});

it('without any input, the work is done by what the Action consists of, and known the second time', async () => {
  await job.push({ 'photo.jpg': 'photo.jpg', 'logo.png': 'logo.png' });
  await job.clone();
  const first = await job.run({});
  expect(first.code, first.log).toBe(0);
  expect(first.outputs).toMatchObject({ images: '2', smaller: '2' });
  const made = await job.cached();
  expect(made).not.toEqual([]);
  expect((await job.run({})).outputs).toEqual(first.outputs);
  expect(await job.cached()).toEqual(made);
});

it('does not run on pull_request_target', { tags: 'slow' }, async () => {
  await job.push({ 'photo.jpg': 'photo.jpg' });
  await job.clone();
  const ended = await job.run({ ...withKey(), event: 'pull_request_target' });
  expect(ended.code).toBe(1);
  expect(ended.log).toContain('::error::This action does not run on pull_request_target');
  expect(proxy.requests + github.calls.length).toBe(0);
});

it('fail-above fails the job and marks the images; paths choose which are looked at; links are left out', {
  tags: 'slow',
}, async () => {
  await job.link('site/link.jpg', '/etc/hostname');
  await job.push({
    'site/photo.jpg': 'photo.jpg',
    'site/raw/logo.png': 'logo.png',
    'other.png': 'logo.png',
  });
  await job.clone();
  const inputs = { paths: 'site/**\n!site/raw/**\n', 'fail-above': '70' };
  const ended = await job.run(withKey(inputs));
  expect(ended.code).toBe(1);
  expect(ended.log).toContain('::error file=site/photo.jpg::This image could be smaller by 74%25.');
  expect(ended.log).toContain('::error::1 of 1 images could be smaller by more than 70%25.');
  const later = await job.run(withKey({ ...inputs, 'fail-above': '80 %' }));
  expect(later.code).toBe(0);
  expect(proxy.requests).toBe(1);
});

it('a push is compared with the commit before it, links that became images included; a forced one is looked at whole', {
  tags: 'slow',
}, async () => {
  await job.link('link.png', 'photo.jpg');
  await job.push({ 'photo.jpg': 'photo.jpg' });
  const before = job.commitOf('author', 'HEAD');
  await job.push({ 'link.png': 'logo.png' });
  await job.clone();
  const changed = await job.run({ event: 'push', before });
  expect(changed.summary).toContain('| `link.png` |');
  expect(changed.summary).not.toContain('photo.jpg');
  const forced = await job.run({ event: 'push', before: 'a'.repeat(40) });
  expect(forced.code, forced.log).toBe(0);
  expect(forced.summary).toMatch(/^2 images looked at\./m);
});

it('commit needs the branch itself, and says so before anything is sent', {
  tags: 'slow',
}, async () => {
  await job.push({ 'photo.jpg': 'photo.jpg', 'site/[logo].png': 'logo.png' });
  await job.clone('merge');
  const refused = await job.run(withKey({ commit: 'true' }));
  expect(refused.code).toBe(1);
  expect(refused.log).toContain('check out the branch itself');
  expect(proxy.requests).toBe(0);
});

it('commit pushes to the branch that is checked out', { tags: 'slow' }, async () => {
  await job.push({ 'photo.jpg': 'photo.jpg', 'site/[logo].png': 'logo.png' });
  await job.clone();
  const before = job.sizes();
  const ended = await job.run(withKey({ commit: 'true' }));
  expect(ended.code, ended.log).toBe(0);
  const after = job.sizes();
  expect([...after.keys()]).toEqual([...before.keys()]);
  for (const [name, size] of after) expect(size, name).toBeLessThan((before.get(name) ?? 0) / 2);
  expect(github.comments[0]?.body).toMatch(/kB saved in 2 images/);
  const fork = await job.run({ ...withKey({ commit: 'true' }), from: 'stranger/photos' });
  expect(fork.log).toContain('from branches of the repository itself only');
});

it('names of files are no commands to the runner, and mention nobody in the comment', {
  tags: 'slow',
}, async () => {
  await job.push({ '@everyone\n::error::stop.png': 'logo.png' });
  await job.clone();
  const ended = await job.run(withKey({ 'fail-above': '10' }));
  expect(ended.log).not.toMatch(/^::error::stop/m);
  expect(ended.log).toContain('::error file=@everyone%0A%3A%3Aerror%3A%3Astop.png::This image');
  expect(ended.summary).toContain('| `@everyone\ufffd::error::stop.png` |');
});

it('a change without images writes no comment, but corrects an earlier one', {
  tags: 'slow',
}, async () => {
  await job.push({ 'notes.md': 'README.md' });
  await job.clone();
  expect((await job.run(withKey())).code).toBe(0);
  expect(github.comments).toEqual([]);
  github.add('<!-- smaller-images -->\n### old', 'Bot');
  await job.run(withKey());
  expect(github.comments[0]?.body).toContain('### No images in this change');
  expect(proxy.requests).toBe(0);
});

it('a key that is not accepted and inputs that make no sense fail the job', {
  tags: 'slow',
}, async () => {
  await job.push({ 'photo.jpg': 'photo.jpg' });
  await job.clone();
  const wrong = await job.run(withKey({ key: 'fewer_wrong' }));
  expect(wrong.code).toBe(1);
  expect(wrong.log).toContain('::error::invalid_api_key: ');
  const senseless = await job.run(withKey({ target: 'best' }));
  expect(senseless.code).toBe(1);
  expect(senseless.log).toContain('::error::Option "target": should be low, medium, high or 30');
});
