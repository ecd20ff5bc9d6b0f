import { describe, expect, test } from 'vitest';
import { withWords } from '../../../src/client/devices/device-profile.ts';
import { noteParts } from '../../../src/client/devices/device-reader.ts';
import { decodeAnswer, type Field, RuleSet } from '../../../src/client/dialects/interpret.ts';
import { RULES } from '../../../src/client/dialects/rules.ts';

/** The longest key of a string, which can be spelled in most ways. */
const [STRING_KEY] = RULES.filter(({ reads }) => reads === 'stringPowerWatts')
  .filter(({ families }) => families.includes('mega-eco'))
  .toSorted((one, other) => other.key.length - one.key.length);

describe('what is remembered of a device stays bounded', () => {
  test('however often it spells the keys of its strings differently', () => {
    const parts = new Set<string>();
    const rules = new RuleSet([]);
    for (let spelling = 0; spelling < 1000; spelling += 1) {
      const key = (STRING_KEY?.key ?? '').replaceAll(/[a-z]/gi, (letter, index: number) =>
        (spelling >> (index % 10)) & 1 ? letter.toUpperCase() : letter.toLowerCase(),
      );
      const sample = { key, tag: 'W', number: { value: 5 }, text: { value: '5' } };
      const context = { source: 'latest', family: 'mega-eco', model: undefined } as const;
      noteParts(parts, decodeAnswer([sample], context, rules).fields);
    }
    expect(parts.size).toBe(500);
  });

  test('however many words it has for its modes, of which the last ones stay', () => {
    const fieldOf = (key: string, words: ReadonlyMap<string, string>) =>
      ({ sample: { key, words }, verdict: 'read', rule: { reads: 'workingMode' } }) as Field;
    let words = withWords(undefined, []);
    for (let day = 0; day < 300; day += 1) {
      const said = Array.from({ length: 10 }, (_, at) => [`code ${day} ${at}`, 'word'] as const);
      const ofDay = fieldOf(`mode${day}`, new Map([['1', 'one']]));
      words = withWords(words, [ofDay, fieldOf('mode', new Map(said))]);
    }
    expect(words.size).toBe(300 + 1);
    expect(words.get('mode')?.size).toBe(500);
    expect(words.get('mode')?.get('code 299 9')).toBe('word');
  });
});
