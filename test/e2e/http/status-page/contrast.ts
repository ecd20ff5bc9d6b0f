import type { Page } from 'playwright-core';

/** A text of a page and how it stands out. */
export interface TextContrast {
  readonly text: string;
  readonly ratio: number;
}

/**
 * Measures the contrast of every visible text with what is behind it, as WCAG 2 counts it; whatever
 * makes it see-through counts as well.
 */
export function textContrasts(page: Page): Promise<readonly TextContrast[]> {
  return page.evaluate(() => {
    type Colour = readonly [number, number, number];
    const parse = (css: string): { colour: Colour; alpha: number } => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (css.match(/[\d.]+/g) ?? []).map(Number);
      return { colour: [red, green, blue], alpha };
    };
    const over = (top: Colour, alpha: number, below: Colour): Colour => [
      top[0] * alpha + below[0] * (1 - alpha),
      top[1] * alpha + below[1] * (1 - alpha),
      top[2] * alpha + below[2] * (1 - alpha),
    ];
    const luminance = (colour: Colour): number => {
      const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
        const share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element: Element | null): Colour => {
      if (element === null) return [255, 255, 255];
      const { colour, alpha } = parse(getComputedStyle(element).backgroundColor);
      return alpha === 1 ? colour : over(colour, alpha, behind(element.parentElement));
    };
    const opacity = (element: Element | null): number =>
      element === null
        ? 1
        : Number(getComputedStyle(element).opacity) * opacity(element.parentElement);

    const found: { text: string; ratio: number }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? '';
      if (element === null || text === '' || element.getClientRects().length === 0) continue;
      const style = getComputedStyle(element);
      const ground = behind(element);
      const ink = parse(element instanceof SVGElement ? style.fill : style.color);
      const seen = luminance(over(ink.colour, ink.alpha * opacity(element), ground));
      const [dark = 0, light = 0] = [seen, luminance(ground)].sort((one, other) => one - other);
      found.push({ text, ratio: (light + 0.05) / (dark + 0.05) });
    }
    return found;
  });
}
