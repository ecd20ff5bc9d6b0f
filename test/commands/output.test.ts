import { describe, expect, test } from 'vitest';
import { renderTable } from '../../src/commands/output.ts';

describe('a table', () => {
  test('has columns as wide as their widest cell, and no spaces at the end of a line', () => {
    expect(
      renderTable(
        ['id', 'name', 'online'],
        [
          ['1', 'Inverter on the roof', 'yes'],
          ['12345', '', ''],
        ],
      ),
    ).toBe(
      ['id     name                  online', '1      Inverter on the roof  yes', '12345', ''].join(
        '\n',
      ),
    );
  });

  test('without rows is only its header', () => {
    expect(renderTable(['id', 'name'], [])).toBe('id  name\n');
  });

  test('accepts a row that is too short', () => {
    expect(renderTable(['id', 'name'], [['1']])).toBe('id  name\n1\n');
  });

  test.each([
    { what: 'an escape sequence', name: '\u001b[31mred\u001b[0m', shown: '?[31mred?[0m' },
    { what: 'a line break', name: 'one\r\ntwo', shown: 'one??two' },
    { what: 'a tab and a bell', name: 'a\tb\u0007', shown: 'a?b?' },
    { what: 'a C1 control character', name: 'a\u009b2Jb', shown: 'a?2Jb' },
    { what: 'a change of direction', name: 'abc\u202edef', shown: 'abc?def' },
    { what: 'an accent and a sun', name: 'Café ☀', shown: 'Café ☀' },
  ])('prints $what in a name harmlessly', ({ name, shown }) => {
    expect(renderTable(['name', 'next'], [[name, '1']])).toBe(
      `${'name'.padEnd(Math.max(4, shown.length))}  next\n${shown.padEnd(4)}  1\n`,
    );
  });
});
