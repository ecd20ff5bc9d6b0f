import type { Markup } from '../../../src/http/status-page/markup.js';

const INLINE = /<\/?(?:a|b|bdi|code|data|i|span|strong|time)\b[^>]*>/g;

/** What a reader sees of a piece of HTML: its texts, one blank between any two words. */
export function shownText({ text }: Pick<Markup, 'text'>): string {
  return text
    .replace(INLINE, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')
    .trim();
}
