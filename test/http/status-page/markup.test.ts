import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { html, Markup } from '../../../src/http/status-page/markup.js';

describe('a piece of HTML', () => {
  test.each([
    { what: 'an ampersand', piece: 'a&b', text: 'a&#38;b' },
    { what: 'angle brackets', piece: '<b>', text: '&#60;b&#62;' },
    { what: 'a double quote', piece: '"', text: '&#34;' },
    { what: 'a single quote', piece: "'", text: '&#39;' },
    { what: 'a backtick', piece: '`', text: '&#96;' },
    { what: 'what is escaped already', piece: '&amp;', text: '&#38;amp;' },
    { what: 'a number', piece: -1.5, text: '-1.5' },
    { what: 'zero', piece: 0, text: '0' },
    { what: 'an empty text', piece: '', text: '' },
    { what: 'undefined', piece: undefined, text: '' },
    { what: 'false', piece: false, text: '' },
    { what: 'an empty list', piece: [], text: '' },
  ] as const)('with $what in it says $text', ({ piece, text }) => {
    expect(html`<p title="${piece}">${piece}</p>`.text).toBe(`<p title="${text}">${text}</p>`);
  });

  test('takes others as they are, alone and in lists, however deep', () => {
    const inner = html`<i>${'<'}</i>`;
    const list = html`${[inner, undefined, false, inner]}`;
    expect(html`<p>${inner}${list}${[list]}</p>`.text).toBe(`<p>${'<i>&#60;</i>'.repeat(5)}</p>`);
  });

  test('does not take what only looks like one', () => {
    const forged = { text: '<script>', toString: () => '<script>' };
    const list = [forged, '<script>', new Markup('<b>')] as unknown as Markup[];
    expect(html`${list}`.text).toBe('<b>');
    expect(String(html`<b>`)).toBe('<b>');
  });

  test('never lets a text begin or end anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { text: attribute } = html`${text}`;
        expect(attribute).not.toMatch(/[<>"'`]/);
        const back = attribute.replace(/&#(\d+);/g, (_, code: string) =>
          String.fromCharCode(Number(code)),
        );
        expect(back).toBe(text);
      }),
    );
  });
});
