import { describe, expect, test } from 'vitest';
import { rewriting, startProxy } from '../../support/proxy.ts';
import { startProcess } from './fake-process.ts';

/** Everything that a terminal obeys: sequences, a bell, returns, directions, C1 controls, half a character. */
const HOSTILE =
  '\u001b[2J\u001b]0;owned\u0007 a\rb\nforged: line\u202ec\u2066d\u009b31me\ud800f\u2028g\u007fh\0i\u200fj';
/** What a command may not print; line breaks are its own. */
const OBEYED = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

/** The texts of the service that people and vendors choose. */
const TEXTS =
  /"(name|deviceName|model|serialNumber|gatherProtocolNameDisplay|stationName|text|valueDisplay|operatingMode|message)":"((?:[^"\\]|\\.)*)"/g;

/** A process in front of a service whose texts all end in {@link HOSTILE}. */
async function startHostile(spoil: (body: string) => string = (body) => body) {
  const house = await startProcess();
  const { shell } = house;
  const suffix = JSON.stringify(HOSTILE).slice(1, -1);
  const proxyUrl = await startProxy(
    shell.env['SOLAR_BASE_URL'] ?? '',
    rewriting((body) =>
      spoil(body).replaceAll(
        TEXTS,
        (_, key: string, text: string) => `"${key}":"${text}${suffix}"`,
      ),
    ),
  );
  shell.env = { ...shell.env, SOLAR_BASE_URL: proxyUrl };
  return house;
}

const COMMANDS: readonly (readonly string[])[] = [
  ['check'],
  ['check', '--json'],
  ['devices'],
  ['devices', '--json'],
  ['devices', '--explain'],
  ['readings'],
  ['readings', '--json'],
  ['readings', 'nothing of this name'],
  ['readings', 'Inverter'],
  ['config'],
  ['config', '--json'],
];

describe('before a service whose names are hostile', () => {
  test('no command makes a terminal obey, whatever it prints', async () => {
    const { shell, deviceId } = await startHostile();
    shell.answer = 'n';
    const onDevice = [
      ['settings', 'get', deviceId],
      ['settings', 'get', deviceId, '--json'],
      ['settings', 'set', deviceId, 'operatingMode=Backup'],
      ['settings', 'set', deviceId, 'nothing=1'],
    ];
    for (const command of [...COMMANDS, ...onDevice]) {
      const { out, complaints } = await shell.run(...command);
      expect(`${out}${complaints}`.length, command.join(' ')).toBeGreaterThan(10);
      for (const printed of [out, complaints, ...shell.questions]) {
        expect(OBEYED.exec(printed)?.[0], command.join(' ')).toBeUndefined();
        expect(printed, command.join(' ')).not.toMatch(/^forged/m);
      }
    }
  });

  test('JSON holds the names as they were', async () => {
    const { shell } = await startHostile();
    const { out } = await shell.run('devices', '--json');
    const { devices } = JSON.parse(out) as { devices: { name: string }[] };
    expect(devices[0]?.name).toBe(Buffer.from(`Inverter 1${HOSTILE}`).toString());
  });

  test('an error says it in one line', async () => {
    const { shell } = await startHostile((body) =>
      body.includes('"list"') ? '{"code":123,"message":"no","data":null}' : body,
    );
    for (const command of [['devices'], ['check'], ['check', '--json']]) {
      const { status, out, complaints } = await shell.run(...command);
      expect(status).toBe(1);
      expect(OBEYED.exec(out + complaints)?.[0]).toBeUndefined();
      expect(out + complaints).not.toMatch(/^forged/m);
    }
  });
});
