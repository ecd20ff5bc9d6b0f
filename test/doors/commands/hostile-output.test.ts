import { describe, expect, test } from 'vitest';
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
  const suffix = JSON.stringify(HOSTILE).slice(1, -1);
  house.simulator.rewrite((body) => spoil(body).replaceAll(TEXTS, `"$1":"$2${suffix}"`));
  return house;
}

const PRINTING = [
  'check',
  'devices',
  'devices --json',
  'devices --explain',
  'readings',
  'readings nothing',
  'settings get DEVICE',
  'settings set DEVICE operatingMode=Backup',
  'settings set DEVICE nothing=1',
];
const refuseLists = (body: string): string =>
  body.includes('"list"') ? '{"code":123,"message":"no","data":null}' : body;

describe('before a service whose names are hostile', () => {
  test.each([
    ['whatever it prints', PRINTING, undefined],
    ['nor an error', ['devices', 'check'], refuseLists],
  ])('no command makes a terminal obey, %s', async (_what, lines, spoil) => {
    const { shell, deviceId } = await startHostile(spoil);
    shell.answer = 'n';
    for (const line of lines) {
      const words = line.replace('DEVICE', deviceId).split(' ');
      const { status, out, complaints } = await shell.run(...words);
      if (spoil !== undefined) expect(status).toBe(1);
      expect(`${out}${complaints}`.length, line).toBeGreaterThan(10);
      for (const printed of [out, complaints, ...shell.questions]) {
        expect(OBEYED.exec(printed)?.[0], line).toBeUndefined();
        expect(printed, line).not.toMatch(/^forged/m);
      }
      // JSON holds the names as they were.
      if (line === 'devices --json')
        expect(JSON.parse(out)).toMatchObject({
          devices: [{ name: Buffer.from(`Inverter 1${HOSTILE}`).toString() }],
        });
    }
  });
});
