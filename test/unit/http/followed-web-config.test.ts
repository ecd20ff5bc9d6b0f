import { hashSync } from 'bcryptjs';
import { expect, test } from 'vitest';
import { openConfig, pem, tlsSection } from '../../support/tls-harness.ts';

const USERS = `basic_auth_users: {me: ${hashSync('secret', 4)}}`;
const CLIENTS = 'client_auth_type: RequireAndVerifyClientCert\nclient_ca_file: client-ca.pem';
const frameOptions = (value: string) =>
  `http_server_config: {headers: {X-Frame-Options: ${value}}}`;

/** Opens a file; `frame` is what it says of one header when it is looked at. */
async function open(text: string) {
  const opened = await openConfig(text);
  const frame = () => opened.webConfig.refreshed().headers['x-frame-options'];
  opened.reads();
  return { ...opened, frame };
}

test('a web configuration file is looked at once a second at most', async () => {
  const { webConfig, clock, reads } = await open(frameOptions('deny'));
  const before = webConfig.refreshed();
  clock.advance(999);
  webConfig.refreshed();
  expect(reads()).toEqual([]);
  clock.advance(1);
  expect([webConfig.refreshed(), webConfig.refreshed()]).toEqual([before, before]);
  expect(reads()).toEqual(['web.yml']);
  // Also when the clock was set back.
  clock.misset(-3_600_000);
  clock.advance(1000);
  webConfig.refreshed();
  expect(reads()).toEqual(['web.yml']);
});

// A file that is just being written is empty, and so is that of a full disk.
test.each([
  [USERS, '', 'all users'],
  [`${tlsSection(CLIENTS)}\n${USERS}`, tlsSection(), 'client certificates and all users'],
  [`${tlsSection(CLIENTS)}\n${USERS}`, `${USERS}\n${tlsSection()}`, 'client certificates'],
])('the change from %j to %j takes no protection away; a reload does', async (from, to, lost) => {
  const { webConfig, change, log } = await open(from);
  const before = webConfig.refreshed();
  change(to);
  expect(webConfig.refreshed()).toBe(before);
  const problem = `--web.config.file: "web.yml": takes ${lost} away; accepted: a reload or a restart for that`;
  expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { problems: [problem] }],
  ]);
  webConfig.reload();
  expect(webConfig.refreshed()).not.toBe(before);
});

test.each([
  [tlsSection(CLIENTS), '', 'from https to http'],
  [tlsSection(), USERS, 'from https to http'],
  [USERS, tlsSection(), 'from http to https'],
])('the change from %j to %j switches no scheme, not even by a reload', async (from, to, how) => {
  const { webConfig, change, log } = await open(from);
  const before = webConfig.refreshed();
  change(to);
  expect(webConfig.refreshed()).toBe(before);
  const problem = `--web.config.file: "web.yml": switches ${how}; accepted: a restart for that`;
  expect(log.lines.map(({ fields }) => fields)).toEqual([{ problems: [problem] }]);
  expect(() => webConfig.reload()).toThrow(problem);
  expect(webConfig.refreshed()).toBe(before);
});

test('a change is taken, one that is no good is not; each mistake is told once, and its end', async () => {
  const { change, log, frame } = await open(frameOptions('deny'));
  const unclosed = 'http_server_config: {';
  for (const text of [unclosed, unclosed, `${unclosed} `, undefined, undefined]) {
    change(text);
    expect(frame()).toBe('deny');
  }
  for (const value of ['deny', 'deny', 'sameorigin', 'sameorigin']) {
    change(frameOptions(value));
    expect(frame()).toBe(value);
  }
  change(undefined);
  expect(frame()).toBe('sameorigin');
  const file = '--web.config.file: "web.yml":';
  const unreadable = `${file} cannot be read (ENOENT); accepted: a readable YAML file`;
  const access = 'plain HTTP, no users, 1 header';
  expect(log.lines.map(({ fields }) => fields['problems'] ?? fields)).toEqual([
    [`${file} not YAML: bad indent at line 1`],
    [unreadable],
    { path: 'web.yml', access },
    { path: 'web.yml', access },
    [unreadable],
  ]);
});

test('the file is taken anew when one that it names changes, or comes back', async () => {
  const { webConfig, change, files, log } = await open(tlsSection());
  const certAfter = (content: string | undefined, name: string) => {
    change(content, name);
    return webConfig.refreshed().tls?.context.cert;
  };
  expect(certAfter(undefined, 'server-rsa.key')).toBe(pem('server-rsa.pem'));
  // A certificate is renewed file by file.
  files.set('server-rsa.pem', pem('server-ec.pem'));
  expect(certAfter(pem('server-rsa.key'), 'server-rsa.key')).toBe(pem('server-rsa.pem'));
  expect(certAfter(pem('server-ec.key'), 'server-rsa.key')).toBe(pem('server-ec.pem'));
  expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'info']);
});

test('a reload reads the file at once, and reports itself what is wrong with it', async () => {
  const { webConfig, clock, files, log, frame } = await open(frameOptions('deny'));
  files.set('web.yml', frameOptions('sameorigin'));
  webConfig.reload();
  expect(webConfig.refreshed().headers).toEqual({ 'x-frame-options': 'sameorigin' });
  files.set('web.yml', frameOptions('none'));
  expect(() => webConfig.reload()).toThrow('"none" is not accepted');
  clock.advance(1000);
  expect(frame()).toBe('sameorigin');
  expect(log.lines).toMatchObject([{ level: 'info', message: 'web configuration taken' }]);
});
