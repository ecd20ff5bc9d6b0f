import { type Panel, type RowPanel, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';

/** How many columns a dashboard has. */
export const GRID_WIDTH = 24;

/** Panels side by side, all of one height; the widths add up to the grid. */
export interface Strip {
  readonly height: number;
  readonly panels: readonly (readonly [width: number, panel: Panel])[];
}

/** A titled part of the dashboard. */
export interface Row {
  readonly title: string;
  readonly isCollapsed?: boolean;
  readonly strips: readonly Strip[];
}

/** Places rows below each other and numbers the panels; the panels of a collapsed row are inside it. */
export function layOut(rows: readonly Row[]): readonly (Panel | RowPanel)[] {
  const placed: (Panel | RowPanel)[] = [];
  let id = 0;
  let y = 0;
  for (const { title, isCollapsed = false, strips } of rows) {
    id += 1;
    const rowY = y;
    const row = new RowBuilder(title)
      .collapsed(isCollapsed)
      .id(id)
      .gridPos({ x: 0, y: rowY, w: GRID_WIDTH, h: 1 })
      .build();
    y += 1;
    const panels: Panel[] = [];
    for (const strip of strips) {
      let x = 0;
      for (const [width, panel] of strip.panels) {
        id += 1;
        panels.push({ ...panel, id, gridPos: { x, y, w: width, h: strip.height } });
        x += width;
      }
      if (x !== GRID_WIDTH) throw new RangeError(`a strip of "${title}" is ${x} columns wide`);
      y += strip.height;
    }
    if (isCollapsed) {
      placed.push({ ...row, panels });
      // A collapsed row takes no space: opening it moves the rest down.
      y = rowY + 1;
    } else placed.push(row, ...panels);
  }
  return placed;
}
