import { hashSync } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import {
  openWebConfigFile,
  type WebConfigFile,
} from '../../../src/http/web-config/web-config-file.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { pem, tlsSection } from '../../support/tls-harness.ts';

const HASH = hashSync('secret', 4);

const USERS = `basic_auth_users: {me: ${HASH}}`;
const CLIENTS = 'client_auth_type: RequireAndVerifyClientCert\nclient_ca_file: client-ca.pem';
const frameOptions = (value: string) =>
  `http_server_config: {headers: {X-Frame-Options: ${value}}}`;

async function open(text: string) {
  const clock = new FakeClock();
  const log = new SilentLog();
  const files = new Map([
    ['web.yml', text],
    ['server-rsa.pem', pem('server-rsa.pem')],
    ['server-rsa.key', pem('server-rsa.key')],
    ['client-ca.pem', pem('client-ca.pem')],
  ]);
  const reads: string[] = [];
  const webConfig = await openWebConfigFile('web.yml', {
    readFile: (path) => {
      reads.push(path);
      const content = files.get(path);
      if (content === undefined) throw Object.assign(new Error('absent'), { code: 'ENOENT' });
      return content;
    },
    clock,
    log,
  });
  reads.length = 0;
  return { webConfig, clock, log, files, reads };
}

/** The line about a file that was not taken. */
function refused(problem: string) {
  const message = 'web configuration refused, the last one stays';
  return { level: 'warn', fields: { problems: [problem] }, message };
}

/** What the file says of one header. */
function frameOf(webConfig: WebConfigFile): string | undefined {
  return webConfig.refreshed().headers['x-frame-options'];
}

describe('a web configuration file', () => {
  test('is looked at once a second at most', async () => {
    const { webConfig, clock, reads } = await open(frameOptions('deny'));
    webConfig.refreshed();
    clock.advance(999);
    webConfig.refreshed();
    expect(reads).toEqual([]);
    clock.advance(1);
    const before = webConfig.current();
    expect([webConfig.refreshed(), webConfig.refreshed()]).toEqual([before, before]);
    expect(webConfig.refreshed()).toBe(before);
    expect(reads).toEqual(['web.yml']);
    // Also when the clock was set back.
    clock.advance(-3_600_000);
    webConfig.refreshed();
    expect(reads).toEqual(['web.yml', 'web.yml']);
  });

  test('is taken when it has changed, which is told once', async () => {
    const { webConfig, clock, files, log } = await open(frameOptions('deny'));
    files.set('web.yml', frameOptions('sameorigin'));
    expect(frameOf(webConfig)).toBe('deny');
    clock.advance(1000);
    expect(frameOf(webConfig)).toBe('sameorigin');
    clock.advance(1000);
    expect(frameOf(webConfig)).toBe('sameorigin');
    expect(webConfig.current()).toBe(webConfig.refreshed());
    expect(log.lines).toEqual([
      {
        level: 'info',
        fields: { path: 'web.yml', access: 'plain HTTP, no users, 1 header' },
        message: 'web configuration taken',
      },
    ]);
  });

  // A file that is just being written is empty, and so is that of a full disk.
  test.each([
    ['empty', USERS, '', 'all users'],
    [
      'cut off',
      `${tlsSection(CLIENTS)}\n${USERS}`,
      tlsSection(),
      'client certificates and all users',
    ],
    [
      'cut off before client_auth_type',
      `${tlsSection(CLIENTS)}\n${USERS}`,
      `${USERS}\n${tlsSection()}`,
      'client certificates',
    ],
  ])('takes no protection away when it is %s; a reload does', async (_, from, text, lost) => {
    const { webConfig, clock, files, log } = await open(from);
    const before = webConfig.current();
    files.set('web.yml', text);
    clock.advance(1000);
    expect(webConfig.refreshed()).toBe(before);
    expect(log.lines).toEqual([
      refused(
        `--web.config.file: "web.yml": takes ${lost} away; accepted: a reload or a restart for that`,
      ),
    ]);
    webConfig.reload();
    expect(webConfig.current()).not.toBe(before);
  });

  test.each([
    { what: 'emptied', from: tlsSection(CLIENTS), text: '', switches: 'from https to http' },
    { what: 'without TLS', from: tlsSection(), text: USERS, switches: 'from https to http' },
    { what: 'with TLS', from: USERS, text: tlsSection(), switches: 'from http to https' },
  ])('switches no scheme when it is $what, not even by a reload', async (change) => {
    const { webConfig, clock, files, log } = await open(change.from);
    const before = webConfig.current();
    files.set('web.yml', change.text);
    clock.advance(1000);
    expect(webConfig.refreshed()).toBe(before);
    const problem = `--web.config.file: "web.yml": switches ${change.switches}; accepted: a restart for that`;
    expect(log.lines).toEqual([refused(problem)]);
    expect(() => webConfig.reload()).toThrow(problem);
    expect(webConfig.current()).toBe(before);
  });

  test('stays as it was while it is no good; each mistake is told once, and its end', async () => {
    const { webConfig, clock, files, log } = await open(frameOptions('deny'));
    const look = (text?: string) => {
      if (text === undefined) files.delete('web.yml');
      else files.set('web.yml', text);
      clock.advance(1000);
      return frameOf(webConfig);
    };
    expect(look('http_server_config: {')).toBe('deny');
    expect(look('http_server_config: {')).toBe('deny');
    expect(look('http_server_config: { ')).toBe('deny');
    expect(look()).toBe('deny');
    expect(look()).toBe('deny');
    expect(look(frameOptions('deny'))).toBe('deny');
    expect(look(frameOptions('deny'))).toBe('deny');
    const file = '--web.config.file: "web.yml":';
    expect(log.lines.map(({ level, fields }) => [level, fields['problems']])).toEqual([
      ['warn', [`${file} not YAML: bad indent at line 1`]],
      ['warn', [`${file} cannot be read (ENOENT); accepted: a readable YAML file`]],
      ['info', undefined],
    ]);
  });

  test('is taken anew when a file that it names changes, or comes back', async () => {
    const { webConfig, clock, files, log } = await open(tlsSection());
    const certOf = () => {
      clock.advance(1000);
      return webConfig.refreshed().tls?.cert;
    };
    files.delete('server-rsa.key');
    expect(certOf()).toBe(pem('server-rsa.pem'));
    // A certificate is renewed file by file.
    files.set('server-rsa.pem', pem('server-ec.pem'));
    files.set('server-rsa.key', pem('server-rsa.key'));
    expect(certOf()).toBe(pem('server-rsa.pem'));
    files.set('server-rsa.key', pem('server-ec.key'));
    expect(certOf()).toBe(pem('server-ec.pem'));
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'info']);
  });

  test('is read at once when it is reloaded, and stays as it was when it is no good', async () => {
    const { webConfig, clock, files, log } = await open(frameOptions('deny'));
    files.set('web.yml', frameOptions('sameorigin'));
    webConfig.reload();
    expect(webConfig.current().headers).toEqual({ 'x-frame-options': 'sameorigin' });
    files.set('web.yml', frameOptions('none'));
    expect(() => webConfig.reload()).toThrow('"none" is not among its values');
    expect(webConfig.current().headers).toEqual({ 'x-frame-options': 'sameorigin' });
    // The reload itself reports what was wrong.
    clock.advance(1000);
    webConfig.refreshed();
    expect(log.messages('warn')).toEqual([]);
    expect(log.messages('info')).toEqual(['web configuration taken']);
  });
});
