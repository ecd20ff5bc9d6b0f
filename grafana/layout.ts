import { type Panel, type RowPanel, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';

/** How many columns a dashboard has. */
export const GRID_WIDTH = 24;

/** Panels below each other; the heights add up to that of their strip. */
export type Stack = readonly (readonly [height: number, panel: Panel])[];

/** Panels side by side, all of one height; the widths add up to the grid. */
export interface Strip {
  readonly height: number;
  readonly panels: readonly (readonly [width: number, panel: Panel | Stack])[];
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
    const row = new RowBuilder(title)
      .collapsed(isCollapsed)
      .id(id)
      .gridPos({ x: 0, y, w: GRID_WIDTH, h: 1 })
      .build();
    const panels = placeStrips(title, strips, y + 1).map((panel) => ({ ...panel, id: (id += 1) }));
    if (isCollapsed) placed.push({ ...row, panels });
    else placed.push(row, ...panels);
    // A collapsed row takes no space: opening it moves the rest down.
    y += 1 + (isCollapsed ? 0 : strips.reduce((sum, { height }) => sum + height, 0));
  }
  return placed;
}

function placeStrips(title: string, strips: readonly Strip[], fromY: number): readonly Panel[] {
  let y = fromY;
  return strips.flatMap(({ height, panels }) => {
    let x = 0;
    const placed = panels.flatMap(([w, content]) => {
      const stack = stackOf(content, height);
      if (stack.reduce((sum, [h]) => sum + h, 0) !== height)
        throw new RangeError(`a stack of "${title}" is not ${height} high`);
      let below = y;
      const column = stack.map(([h, panel]) => {
        const gridPos = { x, y: below, w, h };
        below += h;
        return { ...panel, gridPos };
      });
      x += w;
      return column;
    });
    if (x !== GRID_WIDTH) throw new RangeError(`a strip of "${title}" is ${x} columns wide`);
    y += height;
    return placed;
  });
}

function stackOf(content: Panel | Stack, height: number): Stack {
  return 'type' in content ? [[height, content]] : content;
}
