import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { COMMANDS, nameOf, SWITCHES } from '../../src/commands/commands.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { manPage } from './man-page.ts';
import { textOf } from './markdown.ts';

const PATH = 'man/solar-exporter.1';
const { homepage, man } = JSON.parse(textOf('package.json')) as {
  readonly homepage: string;
  readonly man: string;
};
const made = manPage(homepage);

// After a change of commands or options: UPDATE_DOCS=1 npx vitest run test/drift
if (process.env['UPDATE_DOCS'] === '1')
  writeFileSync(new URL(`../../${PATH}`, import.meta.url), made);

describe('the manual page', () => {
  test('is as the tables of commands and options have it, and part of the package', () => {
    expect(textOf(PATH)).toBe(made);
    expect(man).toBe(PATH);
  });

  test('names every command, every flag and every secret', () => {
    const plain = made.replaceAll('\\-', '-').replaceAll(/\\f[BIR]/g, '');
    for (const { usage } of COMMANDS) expect(plain).toContain(`\n${usage}\n`);
    for (const command of COMMANDS) expect(plain).toContain(nameOf(command));
    for (const { name } of SWITCHES) expect(plain).toContain(`\n--${name}\n`);
    for (const { flag, env, secret, describe } of OPTIONS) {
      expect(plain).toContain(secret === true ? `\n${env}\n` : `\n--${flag}`);
      expect(plain).toContain(describe);
    }
  });

  test('holds only characters that every terminal shows', () => {
    expect(made).toMatch(/^[\n -~]*$/);
  });
});
